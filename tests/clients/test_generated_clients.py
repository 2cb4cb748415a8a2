"""Clients that nobody here wrote: made from the document by three generators, compiled, and set down to play.

They are made as openapi/BOTS.md says, of the document that a service serves. Each bot in `bots` plays a
sandbox game to its end with what a generator has made, and with nothing else.
"""

import json
import shutil
import subprocess
import sys

import pytest

from tests.support import guide, node
from tests.support.tree import environment

BOTS = node.FOLDER / "bots"
PATIENCE_SECONDS = 180


def done(*words, cwd):
    """Run a program to its good end and return what it said."""
    ran = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert ran.returncode == 0, (ran.stdout + ran.stderr)[-5000:]
    return ran.stdout


@pytest.fixture(scope="module")
def made(url, tmp_path_factory):
    """Return the folder with the clients and their bots; TypeScript is compiled, strictly."""
    folder = tmp_path_factory.mktemp("made")
    _, commands = guide.blocks()
    said, _ = guide.run([commands], url, folder)
    # Whatever a generator cannot read it leaves out, with a warning.
    assert "Unable" not in said, said
    assert "some pieces may be missing" not in said, said
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(node.MODULES)
    for path in BOTS.iterdir():
        shutil.copy(path, folder)
    done(*node.tool("typescript", "bin/tsc"), "--project", ".", cwd=folder)
    return folder


BOT = {
    "python client": [sys.executable, "python_client_bot.py"],
    "typescript types": [node.NODE, "out/typescript_types_bot.js"],
    "typescript client": [node.NODE, "out/typescript_fetch_bot.js"],
}


@pytest.mark.parametrize("bot", BOT.values(), ids=list(BOT))
class TestABotOnAGeneratedClient:
    def test_plays_a_game_to_its_end(self, bot, made, url):
        told = json.loads(done(*bot, url, cwd=made))

        assert (told["status"], told["reason"]) == ("finished", "deals")
        # Two deals, a draw and a discard a turn, and what was laid between.
        assert told["moves"] > 10
