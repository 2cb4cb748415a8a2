"""No player learns hidden cards: not from a view, an event, a list of moves, or a refusal.

Non-interference: take a game and a viewer, and shuffle what the viewer may not know (the cards of other
hands that were not seen to be taken, and the stock) with every count kept. Whatever move is then made in
both games, the viewer gets the same answers, with these exceptions:

1.  A draw shows the player one card of the stock.
2.  When a deal ends all hands are open, and the scores follow from them.
3.  Under `take_or_end` a deal ends by itself where the next player can take nothing from the discard pile
    (RULES 7.1): all players see whether the player can.
4.  The commitment of the next deal is a hash of another key: the viewer cannot tell the two apart.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace

from hypothesis import assume, given
from hypothesis import strategies as st

from service.rummy.cards import ORDER, Card, in_order, long_name, without
from service.rummy.errors import IllegalMove
from service.rummy.events import DealEnded, DealStarted, Event, PositionGiven, StockDrawn, StockRenewed
from service.rummy.forced_turn import forced_move
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.moves import DrawStock, Move
from service.rummy.play import play
from service.rummy.state import Game, Stage
from service.rummy.views import redact, view_for
from tests.support.strategies import chances, choose_move, requests, situations

_OTHER_KEY = bytes(range(32))


def another_game(game: Game, viewer: int | None, chance: random.Random) -> Game:
    """Return a game that looks the same to the viewer: only the hidden cards differ."""
    others = [seat for seat in range(game.seats) if seat != viewer]
    other = _shuffled(game, others, chance)
    turn = game.deal.turn
    if turn.must_use is not None and turn.seat != viewer and not legal_moves(other, turn.seat).moves:
        # All players know that the player could use the taken card: such a hand stays as it is.
        other = _shuffled(game, [seat for seat in others if seat != turn.seat], chance)
    return other


def _shuffled(game: Game, seats: list[int], chance: random.Random) -> Game:
    deal = game.deal
    hands = [*deal.hands]
    unknown = {seat: without(hands[seat], deal.known[seat]) for seat in seats}
    pool = [*deal.stock, *(card for cards in unknown.values() for card in cards)]
    chance.shuffle(pool)
    for seat, cards in unknown.items():
        hands[seat] = in_order((*deal.known[seat], *(pool.pop() for _ in cards)))
    return replace(game, key=_OTHER_KEY, deal=replace(deal, hands=tuple(hands), stock=tuple(pool)))


def seen(events: tuple[Event, ...], viewer: int | None) -> tuple[Event, ...]:
    return tuple(redact(event, viewer) for event in events)


def answer(game: Game, move: Move, viewer: int | None) -> object:
    """Return all that the viewer gets about a move: the events and the view, or the refusal."""
    try:
        events, after = play(game, move)
    except IllegalMove as refusal:
        return refusal.code, refusal.message, refusal.rule, refusal.details
    return seen(events, viewer), view_for(after, viewer)


def without_secrets(game: Game, viewer: int | None) -> Game:
    """Return the game as the viewer knows it: all other secrets belong to no player."""
    deal = game.deal
    hands = tuple(
        hand if seat == viewer else deal.known[seat] + (Card("?"),) * (len(hand) - len(deal.known[seat]))
        for seat, hand in enumerate(deal.hands)
    )
    return replace(game, key=b"", deal=replace(deal, hands=hands, stock=(Card("?"),) * len(deal.stock)))


viewers = st.integers(-1, 7).map(lambda seat: None if seat < 0 else seat)


class TestNonInterference:
    @given(situations, viewers, chances)
    def test_views_and_lists_are_the_same(self, begun, viewer, chance):
        game = begun.game
        assume(game.status is Stage.PLAYING and (viewer is None or viewer < game.seats))
        other = another_game(game, viewer, chance)

        assert view_for(game, viewer) == view_for(other, viewer)
        assert seats_to_act(game) == seats_to_act(other)
        if viewer in seats_to_act(game):
            assert legal_moves(game, viewer) == legal_moves(other, viewer)
            assert forced_move(game, viewer) == forced_move(other, viewer)

    @given(situations, st.integers(0, 7), chances, st.data())
    def test_a_player_gets_the_same_answer_to_any_request(self, begun, viewer, chance, data):
        game = begun.game
        assume(game.status is Stage.PLAYING and viewer < game.seats)
        other = another_game(game, viewer, chance)
        able = viewer in seats_to_act(game)
        listed = legal_moves(game, viewer, limit=150).moves if able else ()
        for move in (*listed, *(data.draw(requests(game, viewer)) for _ in range(10))):
            told = answer(game, move, viewer), answer(other, move, viewer)
            if not isinstance(move, DrawStock) and not any(ends_the_deal(one) for one in told):
                assert told[0] == told[1], move

    @given(situations, viewers, chances, st.data())
    def test_the_viewer_sees_the_same_of_any_move(self, begun, viewer, chance, data):
        game = begun.game
        assume(game.status is Stage.PLAYING and (viewer is None or viewer < game.seats))
        for _ in range(4):
            seats = seats_to_act(game)
            if not seats:
                return
            move = choose_move(game, chance.choice(seats), chance, {})
            other = another_game(game, viewer, chance)
            if isinstance(move, DrawStock) and move.seat == viewer and game.deal.stock:
                other = drawing_the_same(game, other, viewer)
            try:
                other_events, other_after = play(other, move)
            except IllegalMove:
                # A player who holds other cards cannot do this, and no other player sees a refusal.
                continue
            events, after = play(game, move)
            if not (ended(events) or ended(other_events)):
                assert seen(events, viewer) == seen(other_events, viewer)
                assert without_secrets(after, viewer) == without_secrets(other_after, viewer)
                assert view_for(after, viewer) == view_for(other_after, viewer)
            else:
                assert_exception(game, events, other_events, viewer)
            game = after


def ended(events: tuple[Event, ...]) -> bool:
    return any(isinstance(event, DealEnded) for event in events)


def ends_the_deal(told) -> bool:
    return len(told) == 2 and ended(told[0])


def drawing_the_same(game: Game, other: Game, viewer: int) -> Game:
    """Return the other game with the card on top of the stock that the viewer draws in this one."""
    wanted = game.deal.stock[0]
    hands, stock = [[*hand] for hand in other.deal.hands], [*other.deal.stock]
    places = [(stock, wanted)] + [(hand, wanted) for seat, hand in enumerate(hands) if seat != viewer]
    lying = next(cards for cards, card in places if card in cards)
    place = lying.index(wanted)
    lying[place], stock[0] = stock[0], lying[place]
    deal = replace(other.deal, hands=tuple(in_order(hand) for hand in hands), stock=tuple(stock))
    return replace(other, deal=deal)


def assert_exception(game: Game, events, other_events, viewer) -> None:
    """Check that a deal ended for a reason listed above, and that all before its end looked the same."""
    before, other_before = (
        [redact(event, viewer) for event in told if event.type not in {"deal.ended", "game.ended"}]
        for told in (events, other_events)
    )
    if ended(events) and ended(other_events):
        assert before == other_before
        return
    assert game.variant.stock_empty == "take_or_end"
    assert not game.deal.stock or len(game.deal.stock) == 1
    shorter, longer = sorted((before, other_before), key=len)
    assert longer[: len(shorter)] == shorter
    assert [event.type for event in longer[len(shorter) :]] == ["turn.started"]


# --- No card of another hand or of the stock in anything that is shown ----------------------------


def cards_in(shown: object) -> Iterator[Card]:
    """Yield every card code anywhere in what is shown. What a joker stands for is no card of the pack."""
    if isinstance(shown, str):
        if shown in ORDER:
            yield Card(shown)
    elif isinstance(shown, tuple | list | set | frozenset):
        for member in shown:
            yield from cards_in(member)
    elif isinstance(shown, dict):
        yield from cards_in([*shown, *shown.values()])
    elif is_dataclass(shown):
        for field in fields(shown):
            if field.name != "stands_for":
                yield from cards_in(getattr(shown, field.name))
    else:
        assert shown is None or isinstance(shown, int), f"{shown!r} is shown"


def open_cards(game: Game, viewer: int | None) -> set[Card]:
    """Return the cards the viewer may see."""
    deal = game.deal
    own = () if viewer is None else deal.hands[viewer]
    table = (laid.card for meld in deal.melds for laid in meld.cards)
    return {*own, *deal.discard_pile, *table, *(card for known in deal.known for card in known)}


class TestNothingLeaks:
    @given(situations, viewers)
    def test_a_view_holds_only_cards_the_viewer_may_see(self, begun, viewer):
        game = begun.game
        assume(viewer is None or viewer < game.seats)
        view = view_for(game, viewer)

        assert set(cards_in(replace(view, deals=()))) <= open_cards(game, viewer)
        # Finished deals are open to all; the running one is none of them.
        assert game.status is not Stage.PLAYING or all(result.deal < view.deal for result in view.deals)

    @given(situations, viewers)
    def test_events_hold_only_cards_the_viewer_may_see(self, begun, viewer):
        assume(viewer is None or viewer < begun.game.seats)
        # The cards drawn for the first deal were seen by all, and went back before the shuffle.
        assert_open(begun.opening[1:], open_cards(begun.begun, viewer), viewer)
        for step in begun.steps:
            assert_open(step.events, open_cards(step.before, viewer) | open_cards(step.after, viewer), viewer)

    @given(situations, viewers)
    def test_only_secret_members_are_hidden(self, begun, viewer):
        for event in begun.events:
            shown = redact(event, viewer)
            assert type(shown) is type(event)
            hidden = {
                field.name
                for field in fields(event)
                if getattr(shown, field.name) != getattr(event, field.name)
            }
            assert hidden <= SECRETS.get(type(event), set())
            if viewer is None:
                assert hidden == SECRETS.get(type(event), set())

    @given(situations, st.data())
    def test_a_refusal_names_no_card_of_others(self, begun, data):
        game = begun.game
        seat = data.draw(st.integers(0, game.seats - 1))
        move = data.draw(requests(game, seat))
        try:
            play(game, move)
        except IllegalMove as refusal:
            told = {card for card in ORDER if long_name(card) in refusal.message} | {
                *cards_in(refusal.details)
            }
            assert told <= open_cards(game, seat) | {*cards_in(move)}


SECRETS = {
    StockDrawn: {"card"},
    DealStarted: {"hands", "stock"},
    PositionGiven: {"hands", "stock"},
    StockRenewed: {"order"},
}


def assert_open(events: Sequence[Event], allowed: set[Card], viewer: int | None) -> None:
    for event in events:
        if not isinstance(event, DealEnded):
            assert {*cards_in(redact(event, viewer))} <= allowed, event
