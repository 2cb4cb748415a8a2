"""My games at a glance: how each stands, in one request."""

import pytest

from tests.support.frames import Frames
from tests.support.memory_store.store import MemoryStore

CLOCK = {"turn_ms": 60_000, "next_deal_ms": 60_000}
STANDING = ("my_seat", "my_turn", "may_act", "deadline_at", "deal", "totals", "winners", "reason")


@pytest.fixture
def begin(client, open_table, ana, ben):
    """Begin a game of Ana and Ben, and return its path."""

    def begin(**settings):
        game = open_table(ana, seats=2, **settings)
        path = f"/v1/games/{game['id']}"
        joined = client.post(f"{path}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
        assert joined.status_code == 201, joined.json
        client.post(f"{path}/start", headers=ana)
        return path

    return begin


@pytest.fixture
def mine(client, ana):
    """List Ana's games."""

    def mine(query="", headers=ana):
        answer = client.get(f"/v1/me/games?{query}", headers=headers)
        assert answer.status_code == 200, answer.json
        return answer.json

    return mine


def ids(page, member="games"):
    return [game["id"] for game in page[member]]


def standing(game):
    return {name: game[name] for name in STANDING}


def discard_at_once(client, path, headers):
    drawn = client.post(f"{path}/draw-stock", headers=headers).json
    card = drawn["events"][0]["card"]
    made = client.post(f"{path}/discard", json={"card": card}, headers=headers)
    assert made.status_code == 201, made.json


class TestASummary:
    def test_says_how_the_game_stands(self, client, begin, mine, ana, ben):
        path = begin(clock=CLOCK)

        for headers in (ana, ben):
            view = client.get(path, headers=headers).json
            (game,) = mine(headers=headers)["games"]
            turn, seat = view["turn"], view["viewer"]["seat"]

            assert standing(game) == {
                "my_seat": seat,
                "my_turn": seat in turn["may_act"],
                "may_act": turn["may_act"],
                "deadline_at": turn["deadline_at"],
                "deal": 1,
                "totals": [0, 0],
                "winners": None,
                "reason": None,
            }
            assert turn["deadline_at"] is not None

    def test_of_a_table_that_waits_has_a_seat_alone(self, open_table, mine, ana):
        open_table(ana, seats=2)

        assert standing(mine()["games"][0]) == {
            **dict.fromkeys(STANDING),
            "my_seat": 0,
            "my_turn": False,
            "may_act": [],
        }

    def test_of_a_game_that_is_over_says_who_won_and_why(self, client, begin, mine, ana, ben):
        path = begin()
        client.post(f"{path}/resignation", headers=ben)
        view = client.get(path, headers=ana).json
        (game,) = mine()["games"]

        assert (game["status"], game["reason"], game["winners"]) == tuple(
            view[name] for name in ("status", "reason", "winners")
        )
        assert not game["my_turn"] or game["status"] == "playing"

    def test_has_the_totals_of_the_deals_played(self, client, sandbox, mine, ana):
        sandbox(ana, ["7S", "4H 9C"], turn={"seat": 0, "phase": "meld"}, totals=[120, 85], deal=3)
        (game,) = mine("sandbox=true")["games"]

        assert (game["totals"], game["deal"]) == ([120, 85], 3)
        assert (game["my_seat"], game["my_turn"], game["may_act"]) == (0, True, [0])

    def test_of_one_who_is_to_be_ready_for_the_next_deal_says_so(self, client, sandbox, mine, ana):
        game = sandbox(ana, ["7S", "4H 9C"], turn={"seat": 0, "phase": "meld"})
        client.post(f"/v1/games/{game['id']}/discard", json={"card": "7S"}, headers=ana)
        (game,) = mine("sandbox=true")["games"]

        assert (game["status"], game["my_turn"], game["may_act"]) == ("deal_over", True, [0, 1])


class TestAStranger:
    """The public lists show how a game stands to those who may watch it as it is now."""

    @pytest.mark.parametrize(
        "settings, is_shown",
        [
            ({"spectators": "public"}, True),
            ({"spectators": "none"}, False),
            ({"spectators": "invite"}, False),
            ({"spectators": "public", "spectator_delay_ms": 60_000}, False),
        ],
    )
    def test_sees_how_a_public_game_stands_only_if_they_may_watch_it(
        self, client, begin, settle, settings, is_shown
    ):
        begin(visibility="public", clock=CLOCK, **settings)
        (game,) = client.get("/v1/games", headers=settle("Cem")).json["games"]

        assert (game["my_seat"], game["my_turn"]) == (None, False)
        assert (game["deal"], game["totals"]) == ((1, [0, 0]) if is_shown else (None, None))
        assert bool(game["may_act"]) is is_shown
        assert (game["deadline_at"] is not None) is is_shown

    def test_sees_a_delayed_game_as_soon_as_the_delay_is_over(self, client, clock, begin, settle):
        cem = settle("Cem")
        begin(visibility="public", spectators="public", spectator_delay_ms=60_000)
        clock.on(60_000)

        assert client.get("/v1/games", headers=cem).json["games"][0]["deal"] == 1


class TestABriefList:
    def test_has_all_but_the_options(self, client, begin, mine):
        begin(variant={"preset": "jokers", "overrides": {"target": 300}})
        full, brief = mine(), mine("brief=true")
        (game,) = full["games"]
        variant = game.pop("variant")

        assert brief["games"] == []
        assert brief["brief"] == [{**game, "preset": "jokers", "overrides": variant["overrides"]}]
        assert brief["brief"][0]["overrides"]["target"] == 300
        assert full["brief"] == []

    def test_of_the_lobby(self, client, open_table, ana, ben):
        game = open_table(ana, seats=2, visibility="public")
        page = client.get("/v1/games?brief=true&free_seats=1", headers=ben).json

        assert ids(page, "brief") == [game["id"]]
        assert (page["games"], page["next_cursor"]) == ([], None)

    def test_is_much_shorter(self, client, begin, ana):
        for _ in range(11):
            begin()
        full, brief = (
            len(client.get(f"/v1/me/games?brief={value}", headers=ana).data) for value in ("false", "true")
        )

        assert brief / 11 < 1100
        assert brief < 0.6 * full


class TestMyTurn:
    def test_is_a_filter(self, client, begin, mine, ana, ben):
        paths = [begin() for _ in range(4)]
        waits_for_ana = {
            path.rsplit("/", 1)[-1]
            for path in paths
            if client.get(f"{path}/legal-moves", headers=ana).json["moves"]
        }
        all_of_them = {path.rsplit("/", 1)[-1] for path in paths}

        assert set(ids(mine("my_turn=true"))) == waits_for_ana
        assert set(ids(mine("my_turn=true", ben))) == all_of_them - waits_for_ana
        assert set(ids(mine("my_turn=false"))) == all_of_them - waits_for_ana
        assert ids(mine("my_turn=true&status=waiting")) == []

    def test_leaves_out_what_is_over(self, client, begin, mine, ana, ben):
        path = begin()
        client.post(f"{path}/resignation", headers=ben)
        client.post(f"{path}/resignation", headers=ana)

        assert ids(mine("my_turn=true")) == []


class TestTheOrder:
    @pytest.fixture
    def games(self, client, clock, begin, open_table, ana, ben):
        """Games by name: two with a clock, one without, and a table that waits."""
        paths = {"slow": begin(clock={"turn_ms": 100_000}), "open": begin(clock=None)}
        clock.on(10)
        paths["quick"] = begin(clock={"turn_ms": 20_000})
        clock.on(10)
        paths["waiting"] = f"/v1/games/{open_table(ana, seats=2)['id']}"
        clock.on(10)
        seat = client.get(paths["slow"], headers=ana).json["turn"]["seat"]
        discard_at_once(client, paths["slow"], (ana, ben)[seat])
        return {path.rsplit("/", 1)[-1]: name for name, path in paths.items()}

    @pytest.mark.parametrize(
        "query, names",
        [
            ("order=deadline", "quick slow waiting open"),
            ("order=updated", "slow waiting quick open"),
            ("order=deadline&status=playing", "quick slow open"),
        ],
    )
    def test_is_by_deadline_or_by_the_last_change(self, mine, games, query, names):
        assert [games[game] for game in ids(mine(query))] == names.split()

    @pytest.mark.parametrize("order", ["deadline", "updated"])
    @pytest.mark.parametrize("limit", [1, 2, 3, 4])
    def test_goes_on_over_pages(self, mine, games, order, limit):
        whole, found, cursor = ids(mine(f"order={order}")), [], ""
        while cursor is not None:
            page = mine(f"order={order}&limit={limit}{cursor}")
            assert len(page["games"]) <= limit
            found += ids(page)
            cursor = page["next_cursor"] and f"&cursor={page['next_cursor']}"

        assert found == whole
        assert len(found) == 4

    def test_is_by_creation_otherwise(self, mine, games):
        assert ids(mine("order=created")) == ids(mine())

    @pytest.mark.parametrize("query", ["order=name", "order=", "my_turn=yes", "brief=1"])
    def test_has_no_other_values(self, client, ana, query):
        refused = client.get(f"/v1/me/games?{query}", headers=ana)

        assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, query.split("=")[0])


class TestTheRequests:
    @pytest.mark.parametrize("query", ["", "my_turn=true", "order=deadline&my_turn=true&brief=true"])
    def test_are_the_same_few_for_any_number_of_games(self, monkeypatch, begin, mine, query):
        """A list of games is read in one round trip, and its games in another."""
        counted = []
        for name in ("games_in", "load_many", "load"):
            read = getattr(MemoryStore, name)
            monkeypatch.setattr(
                MemoryStore,
                name,
                lambda *given, read=read, name=name, **more: (counted.append(name), read(*given, **more))[1],
            )
        for _ in range(11):
            begin()
        counted.clear()
        mine(query)

        # `load_many` of this store loads them one by one.
        assert counted == ["games_in", "load_many", *["load"] * 11]


class TestTheStreamOfAnAccount:
    def test_begins_with_how_my_games_stand(self, client, begin, mine, ana):
        begin(clock=CLOCK)
        with client.get("/v1/me/stream", headers=ana) as answer:
            full = next(Frames(answer.response)).data
        with client.get("/v1/me/stream?brief=true", headers=ana) as answer:
            brief = next(Frames(answer.response)).data

        assert full["games"] == mine()["games"]
        assert full["brief"] == []
        assert (brief["games"], brief["brief"]) == ([], mine("brief=true")["brief"])

    def test_fits_the_document(self, client, contract, begin, ana):
        begin(clock=CLOCK)
        for query in ("", "?brief=true"):
            with client.get(f"/v1/me/stream{query}", headers=ana) as answer:
                contract.fits(
                    {"$ref": "#/components/schemas/AccountEvent"}, next(Frames(answer.response)).data
                )
