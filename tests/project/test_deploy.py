"""What lies in deploy/ fits the program: its commands, its settings, its server."""

import itertools
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import redis
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service.api.parameters import MAX_WAIT_MS
from service.config import Settings
from service.runtime import metrics
from service.runtime.metrics import FOLDER
from service.streams.connections import Timing
from tests.support.tree import wait_for
from workers.cli import COMMANDS
from workers.processes.valkey import take_data_folder

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


class Noting(dict):
    """An empty environment that notes what it is asked for."""

    def __init__(self):
        self.asked = set()

    def get(self, name, default=None):
        self.asked.add(name)
        return default


def test_the_example_of_settings_names_each_and_no_other():
    environ = Noting()
    Settings.from_environment(environ)

    named = re.findall(r"^#?([A-Z_]+)=", (DEPLOY / "env.example").read_text(), re.MULTILINE)

    assert sorted(named) == sorted(environ.asked)


def test_the_example_of_settings_can_be_used_as_it_stands():
    lines = (DEPLOY / "env.example").read_text().replace("\n#", "\n").splitlines()
    given = dict(line.split("=", 1) for line in lines if re.match(r"[A-Z_]+=", line))

    assert Settings.from_environment(given).queue_redis_url == "redis://127.0.0.1:6379/1"


@pytest.mark.parametrize("unit", sorted(path.name for path in (DEPLOY / "systemd").glob("*.service")))
def test_every_unit_starts_a_command_there_is(unit):
    (command,) = re.findall(
        r"^ExecStart=\S+/rummy500 (\w+)", (DEPLOY / "systemd" / unit).read_text(), re.MULTILINE
    )

    assert unit == f"rummy500-{command}{'@' if command in ('turns', 'thinker') else ''}.service"
    assert command in COMMANDS


class TestTheDashboard:
    @pytest.fixture
    def dashboard(self):
        return json.loads((DEPLOY / "dashboards/rummy500.json").read_text())

    def test_asks_for_nothing_that_is_not_counted(self, dashboard):
        counted = {
            sample.name: {*sample.labels, "job", "instance"}
            for family in metrics_told()
            for sample in family.samples
        }
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                names = re.findall(r"rummy500_\w+", target["expr"])
                assert names, target
                for name in names:
                    assert name in counted, f"{panel['title']} asks for {name}"
                    asked = re.findall(r"by \(([\w, ]+)\)", target["expr"])
                    assert {label for by in asked for label in by.split(", ")} <= counted[name]
                shown = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
                assert set(shown) <= counted[names[0]]
                assert target["expr"].count("(") == target["expr"].count(")")
                assert 'job=~"$job", instance=~"$instance"' in target["expr"]

    def test_shows_all_that_is_counted(self, dashboard):
        asked = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
        families = {family.name for family in metrics_told() if family.name.startswith("rummy500_")}

        assert {family for family in families if family not in asked} == set()

    def test_is_whole(self, dashboard):
        panels = dashboard["panels"]

        assert [panel["id"] for panel in panels] == list(range(1, len(panels) + 1))
        for panel in panels:
            assert panel["title"]
            assert panel["description"]
            assert panel["fieldConfig"]["defaults"]["unit"]
            assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
            assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"])
        assert [variable["name"] for variable in dashboard["templating"]["list"]] == [
            "datasource",
            "job",
            "instance",
        ]
        places = [tuple(panel["gridPos"][side] for side in "xywh") for panel in panels]
        assert not [
            (one, other)
            for one, other in itertools.combinations(places, 2)
            if abs(one[0] - other[0]) < 12 and abs(one[1] - other[1]) < 8
        ]


def metrics_told():
    """Return what is counted, with a sample of each label, as Prometheus reads it."""
    metrics.REQUESTS.labels("getMe", 200).inc(0)
    metrics.REQUEST_SECONDS.labels("getMe")
    metrics.LIMITED.labels("reading").inc(0)
    metrics.STREAMS.labels("game").inc(0)
    metrics.EVENTS.labels("stock.drawn").inc(0)
    metrics.COMMITS.labels("done").inc(0)
    metrics.JOBS_QUEUED.labels("turns", "done").inc(0)
    return list(text_string_to_metric_families(metrics.render({"turns": 0}).decode()))


def test_every_unit_counts_in_the_folder_that_all_share():
    folders = {
        tuple(
            re.findall(rf"^(?:RuntimeDirectory|Environment={FOLDER})=(.+)$", path.read_text(), re.MULTILINE)
        )
        for path in (DEPLOY / "systemd").glob("*.service")
    }

    assert folders == {("rummy500", "/run/rummy500/metrics")}


def test_the_target_wants_every_unit():
    wanted = re.findall(r"rummy500-(\w+)(?:@1)?\.service", (DEPLOY / "systemd/rummy500.target").read_text())

    assert sorted(wanted) == ["adviser", "api", "scheduler", "thinker", "turns", "webhooks"]


def test_compose_starts_every_part_once_the_server_answers():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    parts = {name: part for name, part in services.items() if name != "valkey"}

    assert {name: part["command"] for name, part in parts.items()} == {
        name: [name] for name in ("api", "turns", "thinker", "adviser", "scheduler", "webhooks")
    }
    assert all(part["depends_on"] == {"valkey": {"condition": "service_healthy"}} for part in parts.values())


def test_the_image_is_built_from_all_that_the_wheel_holds():
    wheel = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], "pyproject.toml", "README.md", "LICENSE"}
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text()
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)

    containerfile = (DEPLOY / "Containerfile").read_text()
    (lock,) = re.findall(r"^COPY deploy/locks/(\S+) \./$", containerfile, re.MULTILINE)
    assert f" -r {lock}\n" in containerfile
    assert needed <= set(re.findall(r"^!(\S+)$", ignored, re.MULTILINE))
    assert needed <= {name for names in copied for name in names.split()}


def test_the_server_takes_its_configuration_and_keeps_every_move(tmp_path):
    folder = take_data_folder(tmp_path)
    command = [folder.binary, DEPLOY / "redis.conf", "--dir", tmp_path, "--unixsocket", folder.socket]
    with subprocess.Popen([*command, "--port", "0"], stdout=subprocess.DEVNULL) as server:
        try:
            wait_for(folder.socket.exists, "the server")
            with redis.Redis(unix_socket_path=str(folder.socket)) as connection:
                given = connection.config_get("appendonly", "appendfsync", "save", "maxmemory-policy")
        finally:
            server.terminate()
    folder.release()

    assert {as_text(name): as_text(value) for name, value in given.items()} == {
        "appendonly": "yes",
        "appendfsync": "always",
        "save": "",
        "maxmemory-policy": "noeviction",
    }


def test_the_proxy_lets_streams_through_as_they_are_written():
    proxy = (DEPLOY / "nginx.conf").read_text()
    (patience,) = re.findall(r"^\s*proxy_read_timeout (\d+)s;", proxy, re.MULTILINE)

    assert int(patience) > max(Timing().heartbeat_seconds, MAX_WAIT_MS / 1000)
    assert re.search(r"^\s*proxy_buffering off;", proxy, re.MULTILINE)
    assert f"server 127.0.0.1:{Settings.from_environment({}).port};" in proxy


def as_text(value):
    return value.decode() if isinstance(value, bytes) else value
