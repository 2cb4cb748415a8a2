"""`make` sets itself up, or says in a sentence what is in the way."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "make_venv.py"


def test_an_old_python_is_turned_away_with_a_sentence():
    pretend = f"import runpy, sys; sys.version_info = (3, 9, 18); runpy.run_path({str(SCRIPT)!r})"

    done = subprocess.run([sys.executable, "-c", pretend], capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr == (
        "Rummy 500 needs Python 3.11 or newer and this is 3.9; use a newer one, as in "
        "make run PYTHON=python3.12\n"
    )


def test_old_pythons_understand_the_script_up_to_that_sentence():
    ast.parse(SCRIPT.read_text(), feature_version=(3, 6))


def test_a_package_that_cannot_be_had_is_a_sentence_and_is_tried_again(tmp_path):
    (tmp_path / "deploy" / "locks").mkdir(parents=True)
    script = shutil.copy(SCRIPT, tmp_path / "deploy")
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "deploy/locks/requirements.lock").write_text(
        "no-such-package==1.0 \\\n    --hash=sha256:" + "0" * 64 + "\n"
    )
    alone = {**os.environ, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}

    done = subprocess.run(
        [sys.executable, script, "requirements.lock"],
        env=alone,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "Setting up .venv from requirements.lock: 1 packages, once."
    assert done.stderr == (
        "pip could not install what Rummy 500 needs: Could not find a version that satisfies the "
        "requirement no-such-package==1.0 (from versions: none). pip's output is in .venv/setup.log.\n"
    )
    assert not list((tmp_path / ".venv").glob(".*.stamp"))
