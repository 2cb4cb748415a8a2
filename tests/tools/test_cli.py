"""The `rummy500` command: its help, its exit statuses, its old names and its completion."""

import subprocess
from importlib import import_module
from importlib.util import find_spec

import pytest

from service import __version__
from tests.support.tree import rummy500
from workers.cli import COMMANDS, OLD_NAMES, main
from workers.errors import WrongArguments
from workers.tools.completion import SHELLS
from workers.tools.replay import verify_deal


class TestExplainingItself:
    def test_help_lists_every_command_with_a_sentence(self):
        done = rummy500("--help")

        assert done.returncode == 0
        for name, command in COMMANDS.items():
            assert f"  {name} " in done.stdout
            assert command.summary in done.stdout

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_has_its_module_and_explains_itself(self, name, capsys):
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])

        assert ended.value.code == 0
        assert import_module(COMMANDS[name].module).__doc__.splitlines()[0] in capsys.readouterr().out

    @pytest.mark.parametrize("asked", ["help", "-h", "--help"])
    def test_help_of_a_command_shows_its_own_options(self, asked, capsys):
        with pytest.raises(SystemExit) as ended:
            main([asked, "replay"])

        assert ended.value.code == 0
        assert "--step" in capsys.readouterr().out

    @pytest.mark.parametrize("given", [["help"], ["help", "--help"], ["--help"]])
    def test_help_without_a_command_lists_all_of_them(self, given, capsys):
        with pytest.raises(SystemExit) as ended:
            main(given)

        assert ended.value.code == 0
        assert "verify-deal" in capsys.readouterr().out

    def test_it_shows_its_version(self, capsys):
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

    def test_wrong_arguments_are_a_usage_error_with_status_2(self, monkeypatch, capsys):
        monkeypatch.setattr(verify_deal, "run", fails_with(WrongArguments("FILE and --commitment clash.")))

        with pytest.raises(SystemExit) as ended:
            main(["verify-deal", "proof.json"])

        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert said.startswith("usage: rummy500 verify-deal ")
        assert said.endswith("rummy500 verify-deal: error: FILE and --commitment clash.\n")

    @pytest.mark.parametrize("bug", [OSError("no disk"), ValueError("no number"), KeyError("name")])
    def test_a_bug_is_not_turned_into_a_message(self, bug, monkeypatch):
        monkeypatch.setattr(verify_deal, "run", fails_with(bug))

        with pytest.raises(type(bug)):
            main(["verify-deal", "proof.json"])

    def test_the_modules_are_found_without_importing_them(self):
        assert all(find_spec(command.module) for command in COMMANDS.values())


class TestOldNames:
    @pytest.mark.parametrize("old, new", OLD_NAMES.items())
    def test_an_old_name_still_runs_the_command_and_says_its_new_one(self, old, new, capsys):
        with pytest.raises(SystemExit) as ended:
            main([old, "--help"])

        assert ended.value.code == 0
        said = capsys.readouterr()
        assert said.out.startswith(f"usage: rummy500 {new} ")
        assert said.err == f"rummy500: {old} is now called {new}; the next release removes the old name.\n"


class TestCompletion:
    def test_bash_completes_commands_and_their_options(self, tmp_path):
        script = tmp_path / "rummy500.bash"
        script.write_text(rummy500("completion", "bash").stdout)

        assert completed(script, "rummy500", "ver") == ["verify-deal"]
        assert completed(script, "rummy500", "arena", "--pre") == ["--preset"]

    @pytest.mark.parametrize("shell", SHELLS)
    def test_each_shell_gets_a_script_that_names_every_command(self, shell, capsys):
        assert main(["completion", shell]) == 0

        script = capsys.readouterr().out
        assert all(name in script for name in COMMANDS)


def fails_with(error):
    def run(_arguments):
        raise error

    return run


def completed(script, *words):
    """What bash offers for the last word of a command line."""
    ask = f"""
        source {script}
        COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}
        _shtab_rummy500 rummy500 {words[-1]} {words[-2]}
        printf '%s\n' "${{COMPREPLY[@]}}"
    """
    return subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True).stdout.split()
