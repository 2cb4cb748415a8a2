"""Freeze what a release keeps: run it, play at it over HTTP, and copy all that lies in its store.

    python -m tests.support.freeze --rummy500 PATH/.venv/bin/rummy500 --release 0.2.0

It writes tests/store/golden/RELEASE: `keys.jsonl`, `folder.tar.xz`, and `guests.json` with the tokens and
what was asked for. It knows the public API and Redis, and nothing of the code it freezes.
"""

import argparse
import json
import subprocess
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

from tests.support.freeze.copying import dump, pack, persist, write_lines
from tests.support.freeze.guests import Json, Keyed, wait_for
from tests.support.freeze.house import House, receiver
from tests.support.freeze.scenes import SEATS, Scenes

GOLDEN = Path(__file__).resolve().parents[2] / "store" / "golden"


class Freezing:
    """One release on its way into the ice."""

    def __init__(self, house: House, hooks: str) -> None:
        self.house = house
        self.hooks = hooks
        house.start("api", "scheduler", "turns", "webhooks")
        self.scenes = Scenes(house.http)
        self.ana = self.scenes.ana
        self.keyed: list[Keyed] = []
        self.jobs: dict[str, str] = {}
        self.seeks: dict[str, dict[str, str]] = {}
        self.secrets: dict[str, str] = {}

    def freeze(self) -> None:
        """Bring everything about that a release can keep; what waits for workers comes last."""
        house, scenes = self.house, self.scenes
        self._webhooks()
        for preset in SEATS:
            scenes.preset(preset)
            print(preset)
        scenes.cards()
        scenes.tables()
        scenes.sheets()
        scenes.rated()
        scenes.computers()
        print("tables")
        self._advice()
        print("advice")
        self._answers()
        scenes.clocks()
        house.stop("scheduler")
        scenes.stand_in_came_back()
        house.stop("webhooks")
        self._wait_for_workers()
        self._secrets()
        self._seeks()
        house.stop("api")

    # Webhooks

    def _webhooks(self) -> None:
        for path in ("/taken", "/busy", "/gone"):
            # One that fails keeps what it was told until it takes it: let that be little.
            few = {"events": ["game.aborted"]} if path == "/busy" else {}
            self.ana.do("POST", "/v1/webhooks", {"url": f"{self.hooks}{path}", **few})
        self._test_webhooks()

        def are_settled() -> bool:
            told = self.ana.get("/v1/webhooks")["webhooks"]
            return {hook["status"] for hook in told} == {"active", "failing", "disabled"}

        wait_for(are_settled, "a webhook that takes, one that fails and one that is gone")

    def _test_webhooks(self) -> None:
        for hook in self.ana.get("/v1/webhooks")["webhooks"]:
            self.ana.do("POST", f"/v1/webhooks/{hook['id']}/test")

    # Hints and reviews

    def _ask(self, name: str, game: str, what: str) -> str:
        """Ask for a hint or a review in the game of a name, and note the job."""
        self.jobs[name] = str(self.scenes.post(game, what)["id"])
        return self.jobs[name]

    def _is(self, name: str, status: str) -> bool:
        return bool(self.ana.get(f"/v1/jobs/{self.jobs[name]}")["status"] == status)

    def _advice(self) -> None:
        self._ask("hint too late", "taken", "hints")
        self.scenes.parties["taken"].step()
        self.house.start("adviser")
        wait_for(lambda: self._is("hint too late", "failed"), "a hint that came too late")
        for name in self.scenes.questions():
            seat = 2 if name == "call" else 0
            self._ask(f"hint to {name}", f"asked to {name}", f"hints?as_seat={seat}")
            wait_for(lambda name=name: self._is(f"hint to {name}", "done"), f"a hint to {name}")
        self._ask("review", "both resigned", "review")
        wait_for(lambda: self._is("review", "done"), "a review")
        # A review takes a slice of some seconds at a time; a short game is over within the first.
        any(self._is_broken_off(target) for target in (60, 200, 500))
        assert self._is("review broken off", "running")
        self.house.stop("adviser", kill=True)

    def _is_broken_off(self, target: int) -> bool:
        """Let a review of a game come to its second slice; tell whether it has one."""
        game = f"long {target}"
        variant = {"preset": "classic", "overrides": {"target": target}}
        opened = self.ana.open(variant=variant, seats=4, sandbox=True, seats_held="creator")
        self.scenes.keep(game, opened).play_to_the_end()
        job = self._ask("review broken off", game, "review")

        def gone_on() -> str | None:
            told = self.ana.get(f"/v1/jobs/{job}")
            goes_on = told["status"] == "done" or (told["status"] == "running" and told["done"])
            return str(told["status"]) if goes_on else None

        return wait_for(gone_on, "the second slice of a review") == "running"

    # Answers that are given again

    def _answers(self) -> None:
        http, ana = self.house.http, self.ana
        self.scenes.hold(
            "answers", "classic", {"hands": [["7S", "KD"], ["4H", "9C"]], "discard_pile": ["2C"]}
        )
        game = f"/v1/games/{self.scenes.parties['answers'].game_id}"
        match = {"If-Match": '"1"'}
        for name, guest, path, body, more in (
            ("player", None, "/v1/players", {"name": "Fay", "kind": "human"}, {}),
            ("token", ana, "/v1/tokens", {"name": "display", "scopes": ["games:read"]}, {}),
            ("webhook", ana, "/v1/webhooks", {"url": f"{self.hooks}/taken"}, {}),
            ("device link", ana, "/v1/device-links", {"name": "tablet"}, {}),
            ("game", ana, "/v1/games", {"seats": 2}, {}),
            ("move refused", ana, f"{game}/discard", {"card": "7S"}, match),
            ("move", ana, f"{game}/draw-stock", {}, match),
            ("hint", ana, f"{game}/hints", {}, {}),
        ):
            self.keyed.append(Keyed.send(guest, http, name, path, body, **more))

    # What waits while nobody works

    def _wait_for_workers(self) -> None:
        """Leave jobs of every kind in their queues."""
        scenes, house = self.scenes, self.house
        # A computer plays first, for Ana deals.
        first = {"overrides": {"first_dealer": 0}}
        expert = [{"level": "expert"}]
        scenes.begin("expert to think", [self.ana], opponents=expert, thinking_ms=100, **first)
        wait_for(lambda: house.redis.llen("rq:queue:thinking"), "a turn to think about")
        house.stop("turns")
        scenes.begin("computer to play", [self.ana], opponents=[{"level": "steady"}], **first)
        self._ask("hint queued", "kept", "hints?as_seat=1")
        self._ask("review queued", "classic finished", "review")
        self._test_webhooks()

    def _secrets(self) -> None:
        """Leave what opens something once, in time to be used after the thaw."""
        self.secrets["device link"] = self.ana.do("POST", "/v1/device-links", {"name": "phone"})["code"]
        used = self.ana.do("POST", "/v1/device-links", {"name": "watch"})["code"]
        claimed = self.house.http.post("/v1/device-links/claim", json={"code": used})
        assert claimed.status_code == 201, claimed.text
        self.secrets["stream ticket"] = self.ana.do("POST", "/v1/stream-tickets")["ticket"]

    def _seeks(self) -> None:
        def seek(name: str, guest: str, **wanted: object) -> Json:
            told = self.scenes.guests[guest].do("POST", "/v1/seeks", wanted)
            self.seeks[name] = {"guest": guest, "id": told["id"]}
            return told

        seek("matched first", "Ana", seats=2, rated=True)
        met = seek("matched second", "Ben", seats=2, rated=True)
        assert met["status"] == "matched", met
        self.scenes.keep("matched", {"id": met["game_id"]}, self.ana, self.scenes.guests["Ben"])
        seek("waiting", "Cal", seats=3, opponent_kind="human", variant={"preset": "jokers"})

    def told(self, release: str) -> Json:
        """Return what a test must know to go on: tokens, games, and what was asked for."""
        return {
            "release": release,
            "frozen_at": round(time.time() * 1000),
            "guests": {
                name: {"id": guest.id, "kind": guest.kind, "token": guest.token}
                for name, guest in self.scenes.guests.items()
            },
            "games": {
                name: {"id": party.game_id, "guests": [guest.name for guest in party.guests]}
                for name, party in self.scenes.parties.items()
            },
            "jobs": self.jobs,
            "seeks": self.seeks,
            "secrets": self.secrets,
            "keyed": [asdict(request) for request in self.keyed],
        }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rummy500", type=Path, required=True, help="the command of the release")
    parser.add_argument("--release", required=True, help="its number, which names the folder")
    given = parser.parse_args()
    folder = GOLDEN / given.release
    folder.mkdir(parents=True, exist_ok=True)
    print(subprocess.run([given.rummy500, "--version"], capture_output=True, text=True, check=True).stdout)
    with tempfile.TemporaryDirectory() as data, receiver() as hooks:
        with House(given.rummy500.absolute(), Path(data)) as house:
            freezing = Freezing(house, hooks)
            freezing.freeze()
            told = freezing.told(given.release)
            lines = dump(house.redis)
            persist(house.redis)
        write_lines(lines, folder / "keys.jsonl")
        (folder / "guests.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
        pack(Path(data), folder / "folder.tar.xz")
    print(f"{len(lines)} keys in {folder}")


if __name__ == "__main__":
    main()
