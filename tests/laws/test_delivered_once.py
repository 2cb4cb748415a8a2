"""Effects of a game are delivered once, complete and in order, wherever processes die.

Every call to the store may be the last one of its process: it is not executed, or it
is executed without an answer. In the end one process survives, and nothing may be missing or doubled.
"""

import itertools
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from service.effects.projector import Projector
from service.effects.rating_updates import Skill, decode_skill, encode_skill
from service.effects.webhook_sender import MAX_WEBHOOKS, WebhookSender, encode_webhook, new_webhook
from service.games.notifications import build_notifications
from service.games.record import RematchOffered, Visibility
from service.games.seating import resign
from service.rummy.state import DealResult
from service.store.contract import StoreUnavailable
from service.store.lists import GameList
from service.store.ratings import RatingUpdate
from tests.support.memory_store.store import MemoryStore
from tests.support.outside import ANA, BEN, Outside
from tests.support.stores import deliveries

#: What a derivation asks of the store, in whatever order.
STEPS = (
    *("list_game", "unlist_game", "append_account_events", "webhooks_of", "put_deliveries"),
    *(
        "ratings",
        "players",
        "rate",
        "pending_effects",
        "events",
        "reschedule_effects",
        "overdue_effects",
        "mark_effects_done",
    ),
)

LIVES, DIES_BEFORE, DIES_BEHIND = "lives", "dies before", "dies behind"
deaths = st.lists(st.sampled_from([LIVES] * 4 + [DIES_BEFORE, DIES_BEHIND]), min_size=40, max_size=120)


class Mortal(MemoryStore):
    """A store whose callers die at the chosen calls."""

    deaths = itertools.repeat(LIVES)


def _mortal(name):
    def step(self, *arguments, **named):
        death = next(self.deaths, LIVES)
        if death == DIES_BEFORE:
            raise StoreUnavailable("Killed before it.")
        answer = getattr(MemoryStore, name)(self, *arguments, **named)
        if death == DIES_BEHIND:
            raise StoreUnavailable("Killed behind it.")
        return answer

    return step


for _name in STEPS:
    setattr(Mortal, _name, _mortal(_name))


#: What Ana and Ben have played before: they are on the board.
BEFORE = Skill(games=20, opponents=("pX", "pY", "pZ"))


def with_deal(game):
    """Let a deal have been finished: no game is rated before."""
    deal = DealResult(deal=1, reason="went_out", went_out=0, seats=(), totals=())
    return replace(game, game=replace(game.game, deals=(deal,))), ()


def catch_up(house):
    house.time += 60_000
    try:
        house.projector.catch_up()
    except StoreUnavailable:
        return


@settings(max_examples=150, deadline=None)
@given(deaths=deaths, prompt=st.lists(st.booleans(), min_size=6, max_size=6), rounds=st.integers(0, 3))
def test_whichever_process_dies_nothing_is_lost_or_sent_twice(deaths, prompt, rounds):
    store = Mortal(lambda: 0)
    house = Outside(store)
    webhooks = WebhookSender(store=store, now=house.now)
    house.projector = Projector(store=store, now=house.now, webhooks=webhooks)
    tables = {True: house.table(house.projector), False: house.late}
    hook = new_webhook("https://example.com/", ("turn.started", "game.ended"), now=0)
    store.put_webhook(BEN.id, hook.id, encode_webhook(hook), replaces=None, max_webhooks=MAX_WEBHOOKS)

    for player in (ANA, BEN):
        before = RatingUpdate(player_id=player.id, replaces=None, body=encode_skill(BEFORE), score=0)
        store.rate("people", f"g00{player.name}", [before], at=0)

    store.deaths = iter(deaths)
    record = house.begin(tables[prompt[0]], BEN, rated=True, visibility=Visibility.PUBLIC)
    for is_prompt in prompt[1:4]:
        record = house.end_turn(tables[is_prompt], record)
        for _ in range(rounds):
            catch_up(house)
    house.late.change(record.id, with_deal)
    tables[prompt[4]].change(record.id, lambda game: resign(game, BEN))
    offered = RematchOffered(seat=0, rematch_id="g00new")
    tables[prompt[5]].change(record.id, lambda game: (game, (offered,)))
    for _ in range(rounds):
        catch_up(house)

    # The process that comes now survives.
    store.deaths = itertools.repeat(LIVES)
    for _ in range(2):
        catch_up(house)

    assert store.overdue_effects(now=house.time * 2, limit=9) == []
    check(house, record.id, hook)


def check(house, game_id, hook):
    record = house.late.get(game_id)
    log = house.late.events(game_id, after=None, limit=10_000)
    expected = build_notifications(record, log)
    for player in (ANA, BEN):
        told = [(word["type"], word["version"], word["seq"]) for word in house.notifications(player)]
        assert told == [
            (word.type, word.version, word.seq) for word in expected if word.player_id == player.id
        ]

    assert len(deliveries(house.store)) == len([word for word in house.types(BEN) if word in hook.events])

    for player in (ANA, BEN):
        (skill,) = house.store.ratings("people", [player.id])
        assert decode_skill(skill).games == BEFORE.games + 1
    assert [entry.player_id for entry in house.store.standings("people", limit=9)] == [ANA.id, BEN.id]

    for listing in (GameList.public(), GameList.of_player(ANA.id)):
        assert [entry.game_id for entry in house.store.games_in(listing, limit=9)] == [game_id]
    for listing in (
        GameList.open(),
        GameList.unfinished(),
        GameList.unfinished(ANA.id),
        GameList.unfinished(BEN.id),
    ):
        assert house.store.games_in(listing, limit=9) == []
