"""The entry points of the rules: `new_game` and `play`."""

from dataclasses import replace
from typing import assert_never

from service.rummy.calling import callable_positions, cards_that_may_join, positions_taken, public_calls
from service.rummy.cards import Card
from service.rummy.dealing import choose_dealer
from service.rummy.drawing import (
    can_draw_stock,
    draw_stock,
    find_in_pile,
    renew_stock,
    take_discard,
)
from service.rummy.ending import deal_event, pass_draw, start_next_deal, start_turn
from service.rummy.errors import GAME_OVER, ChoiceRequired, IllegalMove
from service.rummy.events import Event, GameEnded, GameStarted, RummyCalled, TurnPassed
from service.rummy.evolve import begin
from service.rummy.laying import check_held, discard, keep_card, lay_meld, lay_off
from service.rummy.move_result import MoveResult
from service.rummy.moves import (
    CallRummy,
    CloseCallWindow,
    Discard,
    DrawStock,
    EndGame,
    KeepCard,
    LayMeld,
    LayOff,
    Move,
    Pass,
    PlayerMove,
    ServiceMove,
    StartNextDeal,
    TakeDiscard,
    cards_used,
)
from service.rummy.state import Game, Phase, Stage
from service.rummy.variants import Variant

Played = tuple[tuple[Event, ...], Game]


def new_game(variant: Variant, *, seats: int, key: bytes) -> Played:
    """Return the first events and the state of a new game, dealt and ready for the first draw.

    `key` is 32 secret bytes; the same key gives the same shuffles.
    """
    dealer, draws = choose_dealer(variant, seats, key)
    start = GameStarted(variant=variant, seats=seats, dealer=dealer, dealer_draws=draws)
    deal = deal_event(key, variant, seats=seats, deal=1, dealer=dealer)
    result = MoveResult(begin(key, start, deal), [start, deal])
    start_turn(result, result.game.after(dealer))
    return tuple(result.events), result.game


def play(game: Game, move: Move) -> Played:
    """Return the events of a move and the game after it.

    Raises IllegalMove, with the code of the rule that is broken. The game passed in is
    a value and does not change.

    >>> from service.rummy.presets import resolve
    >>> _, game = new_game(resolve("cardcouch", {}, seats=2), seats=2, key=bytes(32))
    >>> events, game = play(game, DrawStock(seat=game.deal.turn.seat))
    >>> [event.type for event in events]
    ['stock.drawn']
    """
    result = MoveResult(game)
    match move:
        case CloseCallWindow() | StartNextDeal() | EndGame():
            _play_service_move(result, move)
        case _:
            _check_turn(game, move)
            _play(result, move)
    return tuple(result.events), result.game


def _play_service_move(result: MoveResult, move: ServiceMove) -> None:
    """Carry out a move that the service makes, not a player."""
    game = result.game
    if game.status is Stage.FINISHED:
        raise IllegalMove("game_over", GAME_OVER)
    match move:
        case CloseCallWindow():
            if game.status is not Stage.PLAYING or game.deal.turn.phase is not Phase.RUMMY_CALL:
                raise IllegalMove("call_window_closed", "No call window is open.")
            start_turn(result, game.deal.turn.seat)
        case StartNextDeal():
            if game.status is not Stage.DEAL_OVER:
                raise IllegalMove("wrong_phase", "The deal is not over.")
            start_next_deal(result)
        case EndGame(winners=winners, reason=reason):
            result.emit(GameEnded(winners=winners, reason=reason))
        case _:
            assert_never(move)


def _check_turn(game: Game, move: PlayerMove) -> None:  # noqa: C901 - one check after the other
    """Raise IllegalMove unless it is the seat's turn and the phase allows the move."""
    if game.status is Stage.FINISHED:
        raise IllegalMove("game_over", GAME_OVER)
    if game.status is Stage.DEAL_OVER:
        raise IllegalMove("deal_over", "The deal is over. Say that you are ready for the next one.")
    turn = game.deal.turn
    match move:
        case CallRummy():
            _check_call(game, move)
        case KeepCard() if not game.variant.floating:
            raise IllegalMove("option_off", "Floating is off in this game. End your turn with a discard.")
        case Pass() if turn.phase is Phase.RUMMY_CALL:
            _check_asked(game, move.seat)
        case _ if turn.phase is Phase.RUMMY_CALL:
            raise IllegalMove(
                "call_window_open", 'Other players may still call "Rummy!". Wait for their answers.'
            )
        case _ if turn.seat != move.seat:
            raise IllegalMove("not_your_turn", "It is not your turn. Wait until it is.")
        case DrawStock() | TakeDiscard() | Pass():
            if turn.phase is not Phase.DRAW:
                raise IllegalMove("already_drawn", "You have already drawn. Meld, lay off or discard.")
        case _:
            if turn.phase is not Phase.MELD:
                raise IllegalMove("draw_first", "Draw first, from the stock or the discard pile.")


def _check_asked(game: Game, seat: int) -> None:
    turn = game.deal.turn
    if seat == turn.discarder:
        raise IllegalMove("discarder_cannot_call", "You discarded that card: only other players may call it.")
    if seat in turn.asked:
        return
    if not game.variant.hands_join_calls and next(public_calls(game, seat), None) is None:
        raise IllegalMove("nothing_to_call", "There is no discard that you can call. Wait for your turn.")
    raise IllegalMove("call_window_closed", "You have already passed. Wait for the other players.")


def _check_call(game: Game, move: CallRummy) -> None:
    turn = game.deal.turn
    if game.variant.call_rummy == "off":
        raise IllegalMove("option_off", 'Calling "Rummy!" is off in this game. Wait for your turn.')
    if turn.phase is not Phase.RUMMY_CALL:
        if turn.called and turn.seat != move.seat:
            raise IllegalMove("call_lost", "Another player called first.")
        raise IllegalMove("call_window_closed", "A discard can be called only before the next player draws.")
    _check_asked(game, move.seat)


def _play(result: MoveResult, move: PlayerMove) -> None:
    match move:
        case DrawStock():
            _draw_stock(result, move)
        case TakeDiscard():
            take_discard(result, move)
        case LayMeld():
            lay_meld(result, move)
        case LayOff():
            lay_off(result, move)
        case Discard():
            discard(result, move)
        case Pass():
            _pass(result, move)
        case KeepCard():
            keep_card(result, move)
        case CallRummy():
            _call_rummy(result, move)
        case _:
            assert_never(move)


def _draw_stock(result: MoveResult, move: DrawStock) -> None:
    game = result.game
    if not can_draw_stock(game):
        raise IllegalMove("stock_empty", "The stock is empty. Take from the discard pile or pass.")
    if not result.deal.stock:
        renew_stock(result)
    draw_stock(result, move.seat)


def _pass(result: MoveResult, move: Pass) -> None:
    asking = result.turn.phase is Phase.RUMMY_CALL
    if not asking and can_draw_stock(result.game):
        raise IllegalMove(
            "stock_not_empty", "You can draw, so you may not pass. Draw, or take from the discard pile."
        )
    result.emit(TurnPassed(seat=move.seat))
    if not asking:
        pass_draw(result)
    elif not result.turn.asked:
        start_turn(result, result.turn.seat)


def _call_rummy(result: MoveResult, move: CallRummy) -> None:
    """Take the called card and use it; the turn then continues without a draw (RULES 8.5)."""
    pile, variant = result.deal.discard_pile, result.variant
    position = find_in_pile(pile, move.card, move.position)
    if position not in callable_positions(pile, variant):
        raise IllegalMove("nothing_to_call", "In this game only the top discard may be called.")
    used = cards_used(move.use)
    _check_use(move, used, pile[position:], variant)
    joining = cards_that_may_join(result.game, move.seat)
    taken = tuple(pile[place] for place in positions_taken(pile, position, used, joining, variant))
    result.emit(RummyCalled(seat=move.seat, card=move.card, position=position, cards=taken))
    # The use is always that of the caller.
    use = replace(move.use, seat=move.seat)
    try:
        if isinstance(use, LayMeld):
            lay_meld(result, use)
        else:
            lay_off(result, use)
    except ChoiceRequired as open_question:
        choices = [{"use": choice} for choice in open_question.choices]
        raise ChoiceRequired(open_question.message, choices) from open_question


def _check_use(move: CallRummy, used: tuple[Card, ...], takeable: tuple[Card, ...], variant: Variant) -> None:
    """Raise IllegalMove unless the variant allows a call for this use (RULES 8.2, 8.4)."""
    if move.card not in used:
        raise IllegalMove("nothing_to_call", "Use the card you call at once: meld it or lay it off.")
    if isinstance(move.use, LayOff):
        return
    if variant.call_takes == "single_card":
        raise IllegalMove("nothing_to_call", "In this game a called card may only be laid off.")
    if variant.call_rummy == "table_or_pile":
        try:
            check_held(takeable, used, ())
        except IllegalMove as missing:
            raise IllegalMove(
                "nothing_to_call",
                "In this game a call may use only cards of the discard pile, none from your hand.",
            ) from missing
