"""The bots that authors begin with: short, whole, and right also when the way to the service is not."""

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from collections import defaultdict
from contextlib import contextmanager
from itertools import pairwise

import httpx
import pytest

from service.api.document import FOLDER
from tests.support import node
from tests.support.gateway import RETRY_AFTER_SECONDS, Gateway
from tests.support.tree import environment, wait_for

BOTS = FOLDER / "examples" / "bots"
COMMANDS = {"bot.py": [sys.executable, "-W", "error"], "bot.mjs": [str(node.NODE)]}
PATIENCE_SECONDS = 120
#: Two deals, so that a bot must say that it is ready for the second.
TABLE = {
    "variant": {"preset": "classic", "overrides": {"deals": 2}},
    "opponents": [{"level": "steady"}],
    "sandbox": True,
    "seed": "example bots",
}

#: What fails on a bad line, by its number among the requests of a method: creating the player and the game,
#: moves before and after they were made, and looks.
POSTS = {
    1: "lose answer",
    3: "lose answer",
    5: "lose answer",
    7: "429",
    9: "503",
    11: "504",
    13: "lose request",
    15: "half answer",
}
#: The third and the fourth are the stream, and the look after it.
GETS = {1: "503", 3: "half answer", 4: "lose answer", 6: "503", 7: "429"}


@pytest.fixture(params=list(COMMANDS))
def name(request):
    return request.param


@contextmanager
def started(name, url, folder):
    """A bot that plays, from a copy in the folder where it keeps its token."""
    shutil.copy(BOTS / name, folder)
    bot = subprocess.Popen(
        [*COMMANDS[name], name, url, json.dumps(TABLE)],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield bot
    finally:
        bot.kill()
        bot.communicate()


def ended(bot):
    """What a bot said when its game was over, and what it complained of meanwhile."""
    said, complained = bot.communicate(timeout=PATIENCE_SECONDS)
    assert bot.returncode == 0, complained
    return json.loads(said), complained


@pytest.fixture
def games(url, tmp_path):
    """List the games of the player that the bot is."""

    def games():
        token = (tmp_path / "bot.token").read_text()
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}) as client:
            return client.get("/v1/me/games", params={"sandbox": "true"}).json()["games"]

    return games


class TestTheFiles:
    def test_are_short_enough_to_be_read_at_once(self, name):
        lines = (BOTS / name).read_text().splitlines()

        assert len(lines) < 140
        assert max(map(len, lines)) <= 110

    def test_need_nothing_but_their_language(self):
        imported = re.findall(r"^(?:import|from) ([a-z]+)", (BOTS / "bot.py").read_text(), re.MULTILINE)
        needed = re.findall(r' from "(.+)"', (BOTS / "bot.mjs").read_text())

        assert imported
        assert set(imported) <= sys.stdlib_module_names
        assert needed
        assert all(module.startswith("node:") for module in needed)


class TestABot:
    def test_plays_a_game_to_its_end(self, name, url, tmp_path, games):
        with started(name, url, tmp_path) as bot:
            over, complained = ended(bot)

        assert (over["status"], over["reason"]) == ("finished", "deals")
        assert complained == ""
        assert [game["id"] for game in games()] == [over["id"]]
        # Its token is for nobody else.
        assert stat.S_IMODE((tmp_path / "bot.token").stat().st_mode) == 0o600

    def test_goes_on_with_its_game_when_it_is_started_again(self, name, url, tmp_path, games):
        with Gateway(url) as gateway:
            with started(name, gateway.url, tmp_path) as bot:
                wait_for(lambda: gateway.counts.get("POST", 0) > 8, "a few moves")
                os.kill(bot.pid, signal.SIGKILL)
            (left,) = games()
            assert left["status"] in {"playing", "deal_over"}

            with started(name, gateway.url, tmp_path) as bot:
                over, _ = ended(bot)

        assert over["id"] == left["id"]
        assert over["status"] == "finished"


class TestABotOnABadLine:
    @pytest.fixture
    def gateway(self, url):
        with Gateway(url) as gateway:
            for number, order in POSTS.items():
                gateway.fail("POST", number, order)
            for number, order in GETS.items():
                gateway.fail("GET", number, order)
            yield gateway

    def test_plays_on_as_if_nothing_had_been(self, name, gateway, tmp_path, games):
        with started(name, gateway.url, tmp_path) as bot:
            over, complained = ended(bot)

        assert (over["status"], over["reason"]) == ("finished", "deals")
        assert complained == "", "a move was made twice, or in a game that had moved on"
        assert [game["id"] for game in games()] == [over["id"]], "one table was opened twice"

        met = [passed.order for passed in gateway.passed if passed.order != "pass"]
        assert sorted(met) == sorted([*POSTS.values(), *GETS.values()])
        tries = defaultdict(list)
        for passed in gateway.passed:
            if passed.method == "POST":
                tries[passed.key].append(passed)
        assert None not in tries
        for again in tries.values():
            assert len({(passed.path, passed.body) for passed in again}) == 1, "a key was used twice"
            assert again[-1].status == 201
            for before, after in pairwise(again):
                assert before.status not in {200, 201}, "it was asked again though it was answered"
                # What was done already was not done again.
                done = before.order in {"lose answer", "half answer", "504"}
                assert after.replayed == done
                if before.status in {429, 503, 504}:
                    assert after.at - before.at >= RETRY_AFTER_SECONDS
        assert len([key for key, again in tries.items() if len(again) > 1]) == len(POSTS)
