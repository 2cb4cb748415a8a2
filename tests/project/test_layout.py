"""The house stands as its plan says: what is imported, what is packed, what is locked."""

import ast
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest

import service
import workers

ROOT = Path(__file__).resolve().parents[2]
LOCK_FOLDER = ROOT / "deploy" / "locks"
LOCKS = (
    "requirements.lock",
    "requirements-dev.lock",
    "requirements-bench.lock",
)


def files_of(package):
    found = (path.relative_to(ROOT) for path in (ROOT / package).rglob("*") if path.is_file())
    return {str(path) for path in found if "__pycache__" not in path.parts}


def pins(lock):
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ ;]+)", (LOCK_FOLDER / lock).read_text(), re.MULTILINE))


class TestImports:
    @pytest.mark.parametrize("package", [service, workers])
    def test_our_packages_are_ours(self, package):
        """`service` is also a name on the public package index."""
        assert Path(package.__file__).parents[1] == ROOT

    def test_the_rules_know_no_clock_no_system_and_no_dice(self):
        """They are pure: the same game and move give the same game, here and in a year."""
        allowed = sys.stdlib_module_names - {
            *("asyncio", "datetime", "io", "os", "pathlib", "random", "secrets", "shutil", "socket"),
            *("subprocess", "sys", "tempfile", "threading", "time", "uuid"),
        }
        for path in (ROOT / "service" / "rummy").glob("**/*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                if isinstance(node, ast.ImportFrom):
                    names = [node.module or ""]
                    assert node.level == 0, f"{path.name} imports by dots"
                for name in names:
                    ours = name == "service.rummy" or name.startswith("service.rummy.")
                    assert ours or name.partition(".")[0] in allowed, f"{path.name} imports {name}"


class TestNames:
    def modules(self):
        return [path for package in ("service", "workers") for path in (ROOT / package).rglob("*.py")]

    def test_no_two_classes_have_one_name(self):
        places = defaultdict(set)
        for path in self.modules():
            for node in ast.walk(ast.parse(path.read_text())):
                # marshmallow reads the options of a schema from a class of this name.
                if isinstance(node, ast.ClassDef) and node.name != "Meta":
                    places[node.name].add(f"{path.relative_to(ROOT)}:{node.lineno}")

        assert {name: lines for name, lines in places.items() if len(lines) > 1} == {}

    def test_no_name_of_a_module_stands_three_times(self):
        """The store's contract and its implementation count once; so do a resource and its schemas."""
        mirrored = {"service/store/redis": "service/store", "service/api/schemas": "service/api/resources"}
        folders = defaultdict(set)
        for path in self.modules():
            folder = str(path.parent.relative_to(ROOT))
            if path.name != "__init__.py":
                folders[path.name].add(mirrored.get(folder, folder))

        assert {name: found for name, found in folders.items() if len(found) > 2} == {}

    @pytest.mark.parametrize("package, at_most", [("service", 18), ("workers", 10)])
    def test_a_listing_of_the_package_fits_one_look(self, package, at_most):
        besides = {"__init__.py", "README.md", "py.typed"}
        tracked = subprocess.run(
            ["git", "ls-files", package], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()

        assert len({name.split("/")[1] for name in tracked} - besides) <= at_most


class TestThePackage:
    def test_the_wheel_holds_every_file_of_both_packages_and_the_document(self, tmp_path):
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", tmp_path],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        (wheel,) = tmp_path.glob("*.whl")
        self._works(wheel, tmp_path / "unpacked")

        with zipfile.ZipFile(wheel) as packed:
            names = {name for name in packed.namelist() if ".dist-info/" not in name}

        document = {f"service/{name}" for name in files_of("openapi")}
        assert names == files_of("service") | files_of("workers") | document
        assert {"service/py.typed", "workers/py.typed"} <= names

    @staticmethod
    def _works(wheel, folder):
        """Run the command from what the wheel holds, away from the checkout."""
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder)
        printed = subprocess.run(
            [sys.executable, "-P", "-c", "from workers.cli import main; main(['openapi'])"],
            cwd=folder,
            env={"PYTHONPATH": str(folder)},
            check=True,
            capture_output=True,
            text=True,
        )
        assert json.loads(printed.stdout)["info"]["version"] == service.__version__


class TestTheLocks:
    @pytest.mark.parametrize("lock", LOCKS)
    def test_every_package_is_pinned_with_hashes(self, lock):
        entries = re.split(
            r"\n(?=\S)", re.sub(r"^ *#.*\n", "", (LOCK_FOLDER / lock).read_text(), flags=re.MULTILINE)
        )

        assert len(entries) > 20
        for entry in entries:
            assert re.match(r"[a-z0-9._-]+==\S+( ; .+)? \\\n", entry), entry
            assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry

    @pytest.mark.parametrize("lock", LOCKS)
    def test_no_index_and_no_folder_of_anybodys_machine_is_in_it(self, lock):
        assert not re.search(r"://|^-|find-links| /|@ ", (LOCK_FOLDER / lock).read_text(), re.MULTILINE)

    @pytest.mark.parametrize("lock", LOCKS[1:])
    def test_the_locks_agree(self, lock):
        """One environment serves running, testing and measuring."""
        run, other = pins("requirements.lock"), pins(lock)

        assert {name: other[name] for name in run} == run

    def test_what_compiles_the_simulator_is_pinned_with_hashes_to_the_same_versions(self):
        lock = (LOCK_FOLDER / "requirements-compile.lock").read_text()
        compiling, developing = (
            pins("requirements-compile.lock"),
            pins("requirements-dev.lock"),
        )

        assert {"mypy", "setuptools"} <= compiling.keys()
        assert lock.count("--hash=sha256:") >= len(compiling)
        assert "://" not in lock
        assert compiling["mypy"] == developing["mypy"]

    def test_all_that_the_project_asks_for_is_locked(self):
        asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]

        assert {re.match(r"[a-z0-9._-]+", line)[0] for line in asked} <= pins("requirements.lock").keys()
