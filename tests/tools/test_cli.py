"""`rummy500` knows its subcommands, is quick to explain itself, and speaks in sentences."""

from importlib import import_module
from importlib.util import find_spec

import pytest

from service import __version__
from tests.support.tree import rummy500
from workers.cli import COMMANDS, main
from workers.errors import CannotStart


class TestExplainingItself:
    def test_help_lists_every_command_with_a_sentence(self):
        done = rummy500("--help")

        assert done.returncode == 0
        for name, (_, summary) in COMMANDS.items():
            assert f"  {name} " in done.stdout
            assert summary in done.stdout

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_its_module_and_explains_itself(self, name, capsys):
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])

        assert ended.value.code == 0
        assert import_module(COMMANDS[name][0]).__doc__.splitlines()[0] in capsys.readouterr().out

    def test_it_tells_its_version(self, capsys):
        with pytest.raises(SystemExit):
            main(["--version"])

        assert capsys.readouterr().out == f"Rummy 500 {__version__}\n"

    @pytest.mark.parametrize("given", [[], ["play"], ["--play"]])
    def test_what_is_no_command_is_refused_with_the_usage(self, given, capsys):
        with pytest.raises(SystemExit) as ended:
            main(given)

        assert ended.value.code == 2
        assert capsys.readouterr().err.startswith("usage: rummy500 ")


class TestRefusals:
    def test_a_reason_it_cannot_start_is_a_sentence_and_status_1(self, monkeypatch, capsys):
        monkeypatch.setenv("API_THREADS", "none")

        assert main(["api"]) == 1

        assert capsys.readouterr().err == (
            "rummy500 api: API_THREADS must be a whole number from 1 to 4096, not 'none'.\n"
        )

    def test_a_bug_stays_a_traceback(self):
        assert not issubclass(CannotStart, OSError | ValueError)

    def test_the_modules_are_found_without_importing_them(self):
        assert all(find_spec(module) for module, _ in COMMANDS.values())
