"""What lies in deploy/ fits the program: its commands, its settings, its server."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import redis
import yaml

from service.config import Settings
from tests.support.tree import wait_for
from workers.cli import COMMANDS
from workers.valkey import take_data_folder

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"


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

    assert unit == f"rummy500-{command}{'@' if command == 'worker' else ''}.service"
    assert command in COMMANDS


def test_the_target_wants_every_unit():
    wanted = re.findall(r"rummy500-(\w+)(?:@1)?\.service", (DEPLOY / "systemd/rummy500.target").read_text())

    assert sorted(wanted) == ["api", "clock", "webhooks", "worker"]


def test_compose_starts_every_part_once_the_server_answers():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    parts = {name: part for name, part in services.items() if name != "valkey"}

    assert {name: part["command"] for name, part in parts.items()} == {
        name: [name] for name in ("api", "worker", "clock", "webhooks")
    }
    assert all(part["depends_on"] == {"valkey": {"condition": "service_healthy"}} for part in parts.values())


def test_the_image_is_built_from_all_that_the_wheel_holds():
    wheel = tomllib.loads((DEPLOY.parent / "pyproject.toml").read_text())["tool"]["hatch"]["build"][
        "targets"
    ]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], "pyproject.toml", "README.md", "LICENSE"}
    ignored = (DEPLOY / "Containerfile.dockerignore").read_text()
    copied = re.findall(r"^COPY (?!--)(.+) \S+$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)

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


def as_text(value):
    return value.decode() if isinstance(value, bytes) else value
