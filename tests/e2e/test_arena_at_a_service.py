"""`rummy500 arena --url`: bots that run elsewhere play levels, and each other, at a real service."""

import argparse
import json
import threading
import time

import pytest

from workers.errors import CannotStart
from workers.tools.arena import arena_command

#: What the bot below likes best, first of all.
LIKED = ("meld", "lay_off", "draw_stock", "discard", "next_deal")


class OrdinaryBot(threading.Thread):
    """An ordinary bot, which knows nothing of the arena: it polls its games and moves when it may."""

    def __init__(self, player):
        super().__init__()
        self._player = player
        self._stopped = threading.Event()
        self.games = set()

    def run(self):
        while not self._stopped.wait(0.05):
            listed = self._player.http.get("/v1/me/games", params={"sandbox": "true", "status": "playing"})
            for game in listed.json()["games"]:
                self.games.add(game["id"])
                self._move(f"/v1/games/{game['id']}")

    def _move(self, game):
        report = self._player.http.get(f"{game}/legal-moves").json()
        moves = sorted(report["moves"], key=lambda move: (*LIKED, move["type"]).index(move["type"]))
        if moves:
            self._player.post(moves[0]["path"], moves[0]["body"], version=report["version"])

    def stop(self):
        self._stopped.set()
        self.join(60)


@pytest.fixture
def bots(arrive, url):
    """Let bots run: `bots("mine")` gives the bot; all are stopped in the end."""
    running = []

    def run(name):
        running.append(OrdinaryBot(arrive(url, name)))
        running[-1].start()
        return running[-1]

    yield run
    for bot in running:
        bot.stop()


def token_file(folder, bot):
    path = folder / f"{bot.name}.token"
    path.write_text(f"{bot._player.token}\n")
    return str(path)


def run(*words):
    parser = argparse.ArgumentParser()
    arena_command.add_arguments(parser)
    return arena_command.run(parser.parse_args(["--overrides", '{"hand_size": 5}', *words]))


class TestABotAtAService:
    def test_meets_a_level_over_mirrored_deals(self, url, bots, tmp_path, capsys):
        bot = bots("mine")

        status = run(
            *("mine", "steady", "--url", url, "--bot", f"mine={token_file(tmp_path, bot)}"),
            *("--deals", "2", "--json"),
        )

        report = json.loads(capsys.readouterr().out)
        mine, steady = sorted(report["ladder"], key=lambda standing: standing["name"])
        assert status == 0
        assert mine["margin"]["mean"] == -steady["margin"]["mean"]
        assert report["matches"][0]["sets"] == 2
        assert report["repeats_by_seed"]["results"] is False
        # Two deals, and each once for each seat.
        assert len(bot.games) == 4

    def test_meets_another_bot_and_partners_of_its_own(self, url, bots, tmp_path, capsys):
        ours, theirs = [bots("one"), bots("two")], [bots("three"), bots("four")]
        given = {
            name: ",".join(token_file(tmp_path, bot) for bot in pair)
            for name, pair in (("mine", ours), ("yours", theirs))
        }

        status = run(
            *("mine", "yours", "--url", url, "--preset", "partnership", "--deals", "2"),
            *("--bot", f"mine={given['mine']}", "--bot", f"yours={given['yours']}"),
        )

        report = capsys.readouterr().out
        assert status == 0
        assert "2 of 2 mirrored deals" in report
        assert "may differ from run to run" in report

    def test_that_does_not_run_invalidates_the_results_and_its_game_is_aborted(self, url, arrive, tmp_path):
        sleeper = arrive(url, "sleeper")
        (tmp_path / "token").write_text(sleeper.token)

        with pytest.raises(CannotStart, match="sleeper made no move for 1 s"):
            run(
                *("sleeper", "steady", "--url", url, "--bot", f"sleeper={tmp_path / 'token'}"),
                *("--deals", "2", "--processes", "1", "--patience-seconds", "1"),
            )

        until = time.monotonic() + 60
        while any(
            game["status"] != "aborted"
            for game in sleeper.http.get("/v1/me/games", params={"sandbox": "true"}).json()["games"]
        ):
            assert time.monotonic() < until
            time.sleep(0.1)


class TestWrongParticipants:
    @pytest.mark.parametrize(
        "words,why",
        [
            (("novice", "steady"), "levels alone"),
            (("mine", "unknown", "--bot", "mine={token}"), "unknown player"),
            (("mine", "steady", "--bot", "mine={token}", "--players", "4"), "an account for each"),
            (("mine", "steady", "--bot", "mine=nowhere"), "cannot be read"),
            (("mine", "steady", "--bot", "mine"), "NAME=FILE"),
            (("steady", "novice", "--bot", "steady={token}"), "another name"),
        ],
    )
    def test_are_refused_in_a_sentence(self, url, tmp_path, words, why):
        (tmp_path / "token").write_text("t")
        given = [word.format(token=tmp_path / "token") for word in words]

        with pytest.raises(CannotStart, match=why):
            run(*given, "--url", url)

    def test_and_a_service_that_does_not_answer(self, tmp_path):
        (tmp_path / "token").write_text("t")

        with pytest.raises(CannotStart, match="No Rummy 500 answers"):
            run("mine", "steady", "--bot", f"mine={tmp_path / 'token'}", "--url", "http://127.0.0.1:9")
