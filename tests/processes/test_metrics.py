"""Processes that count together."""

import os
import socket
import subprocess
import sys
import threading

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.config import Settings
from service.runtime import metrics as counted
from tests.support.servers import free_port
from tests.support.tree import environment
from workers.errors import CannotStart
from workers.processes import metrics_server

#: Counts a move and a waiting request; exits at once, or prints the metrics of all processes.
PROCESS = """
import os, sys
from service.runtime import metrics
metrics.EVENTS.labels("stock.drawn").inc()
metrics.WAITING.inc()
if sys.argv[1] == "print":
    sys.stdout.write(metrics.render({}).decode())
else:
    print(os.getpid())
"""


FORKING = """
import os
from pathlib import Path
from workers.processes import metrics_server as metrics
try:
    with metrics.shared_folder():
        folder = Path(os.environ[metrics.FOLDER])
        child = os.fork()
        if child == 0:
            raise SystemExit
        os.waitpid(child, 0)
        print("there" if folder.is_dir() else "gone", flush=True)
except SystemExit:
    os._exit(0)
print("there" if folder.is_dir() else "gone")
"""


#: A part that counts alone, and asks itself as Prometheus would.
ALONE = """
import sys, urllib.request
from service.config import Settings
from service.runtime import metrics as counted
from workers.processes import metrics_server as metrics
counted.EVENTS.labels("stock.drawn").inc()
metrics.serve(Settings.from_environment({"METRICS_PORT": sys.argv[1]}))
with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/metrics") as page:
    sys.stdout.write(page.read().decode())
"""


@pytest.fixture(autouse=True)
def no_folder(monkeypatch):
    monkeypatch.delenv(metrics_server.FOLDER, raising=False)


def run(program, *arguments, **settings):
    command = [sys.executable, "-c", program, *arguments]
    ended = subprocess.run(command, env=environment(**settings), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def process(what):
    """Run a process that counts, in the folder that is named now."""
    return run(PROCESS, what, **{metrics_server.FOLDER: os.environ[metrics_server.FOLDER]})


def reported():
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(process("print"))
        for sample in family.samples
    }


class TestAFolder:
    def test_adds_up_what_processes_count(self):
        with metrics_server.shared_folder():
            process("count")
            process("count")

            assert reported()["rummy500_events_total", "stock.drawn"] == 3

    def test_of_ones_own_begins_empty_and_leaves_nothing_behind(self, tmp_path):
        own = tmp_path / "metrics"
        for _ in range(2):
            with metrics_server.shared_folder(own):
                assert reported()["rummy500_events_total", "stock.drawn"] == 1
            assert not own.exists()
            assert metrics_server.FOLDER not in os.environ

    def test_that_was_named_is_kept_with_its_counts(self, tmp_path, monkeypatch):
        monkeypatch.setenv(metrics_server.FOLDER, str(tmp_path / "shared" / "metrics"))
        for number in (1, 2):
            with metrics_server.shared_folder():
                process("count")
            assert len(list((tmp_path / "shared" / "metrics").glob("counter_*.db"))) == number

    def test_forgets_who_waits_in_a_process_that_has_ended(self, tmp_path, monkeypatch):
        with metrics_server.shared_folder():
            ended = int(process("count"))
            assert reported()["rummy500_waiting_requests",] == 2
            metrics_server.forget_process(ended)
            # The other processes have exited too, but were not forgotten.
            assert reported()["rummy500_waiting_requests",] == 2

        monkeypatch.setenv(metrics_server.FOLDER, str(tmp_path))
        process("count")
        with metrics_server.shared_folder():
            assert reported()["rummy500_waiting_requests",] == 1
            assert reported()["rummy500_events_total", "stock.drawn"] == 3

    def test_is_not_taken_away_by_a_process_that_was_forked_within(self):
        """A worker of gunicorn ends by leaving through all that its parent is within."""
        assert run(FORKING) == "there\ngone\n"

    def test_is_named_as_prometheus_names_it(self):
        assert metrics_server.FOLDER == counted.FOLDER


class TestAPartThatCountsAlone:
    def test_tells_its_own_at_its_port(self):
        assert 'rummy500_events_total{type="stock.drawn"} 1.0' in run(ALONE, str(free_port()))

    def test_does_not_start_where_its_port_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            with pytest.raises(CannotStart, match=f"port {port} .*; set METRICS_PORT to a free port"):
                metrics_server.serve(Settings.from_environment({"METRICS_PORT": port}))

    def test_wants_no_port_where_the_api_tells_for_all(self):
        """As within `rummy500 run`, whose parts would else quarrel over it."""
        with socket.create_server(("127.0.0.1", 0)) as taken, metrics_server.shared_folder():
            metrics_server.serve(Settings.from_environment({"METRICS_PORT": str(taken.getsockname()[1])}))

    def test_tells_nothing_without_one(self):
        metrics_server.serve(Settings.from_environment({}))

        assert not [thread for thread in threading.enumerate() if "serve_forever" in thread.name]
