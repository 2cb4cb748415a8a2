"""openapi/BOTS.md and what its commands need: the programs it names, and a service in place of one."""

import os
import re
import subprocess
import sys
from pathlib import Path

from service.api.document import FOLDER
from tests.support import node
from tests.support.tree import environment

GUIDE = (FOLDER / "BOTS.md").read_text(encoding="utf-8")
PRINTED_URL = "http://127.0.0.1:8000"
#: Ten minutes is what authors are promised, reading included.
PATIENCE_SECONDS = 300
#: What ends the output of each block.
END = "# end of block\n"


def blocks():
    """The commands of the guide, block by block: playing bots, and the one that makes clients."""
    start, *playing, clients = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    assert start == "make run\n"
    assert "generate" in clients
    return playing, clients


def run(commands, url, folder):
    """Run blocks one after the other in one terminal, and return what each said."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "python3").symlink_to(sys.executable)
    command = folder / ".venv" / "bin" / "rummy500"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m workers.cli "$@"\n')
    command.chmod(0o755)
    path = [
        programs,
        Path(sys.executable).parent,
        node.NODE.parent,
        node.MODULES / ".bin",
        os.environ["PATH"],
    ]
    # What a block has left running ends with the script, whatever went wrong.
    leave = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT"
    script = "\n".join(["set -eu", leave, *(f"{block}\necho '{END.strip()}'" for block in commands)])
    done = subprocess.run(
        ["bash", "-c", script.replace(PRINTED_URL, url).replace("--deals 100", "--deals 2")],
        cwd=folder,
        env=environment(PATH=":".join(map(str, path)), url=url),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout.split(END)
