"""How turns, deals and games begin and end (RULES 1.7, 6.2, 7 and 10).

Why every deal ends, for each way a stock can run out. Laid cards never leave
the table, so from some turn on none is laid, and no card that must be used is taken.
A turn makes no progress (is "quiet") when no card is laid, none discarded without a
draw, and none drawn from a stock that is never renewed.

- ``end_at_once``, ``take_or_end``, ``play_on``: a stock that is never renewed gets
  empty or is not drawn from any more. Under ``end_at_once`` the deal ends with its last
  card, under ``take_or_end`` with a pass. A pass under ``play_on`` takes a card from a
  hand, which can happen only finitely often. So from some turn on every turn is quiet.
- ``reshuffle``, ``flip``: with nothing laid every turn is quiet.

`Variant.quiet_turn_limit` quiet turns in a row end the deal. They are three times the
cards of the game. In 2,500 deals of Basic Rummy that four computers of level steady
played with no limit, 99 % of those that a player went out of had at most 73 quiet turns
in a row; what went on longer than three times the cards was hardly ever decided.

A quiet turn can add a card to the hands only when a floating player keeps the top discard,
and a player floats again only by laying cards. A rummy call lays a card. This covers
every variant. A game ends because a deal decides it or after `variants.MAX_DEALS`
deals (RULES 10.6).
"""

from service.rummy.calling import seats_to_ask
from service.rummy.cards import full_pack
from service.rummy.dealing import commitment, deal_out, deal_seed, shuffled
from service.rummy.drawing import can_draw_stock, legal_takes
from service.rummy.events import (
    CallWindowOpened,
    DealEnded,
    DealStarted,
    GameEnded,
    PlayerWentOut,
    TurnStarted,
)
from service.rummy.evolve import quiet_turns_after
from service.rummy.move_result import MoveResult
from service.rummy.scoring import decide_winners, score_deal, totals_so_far
from service.rummy.state import Game
from service.rummy.variants import Variant


def end_turn(result: MoveResult, *, thrown: bool) -> None:
    """End the running turn; `thrown` is True if it ended with a discard."""
    deal, variant = result.deal, result.variant
    if _is_stuck(result.game) or (variant.stock_empty == "end_at_once" and not deal.stock):
        end_deal(result, went_out=None)
        return
    next_seat = result.game.after(deal.turn.seat)
    asked = seats_to_ask(result.game, deal.turn.seat) if thrown else ()
    if asked:
        result.emit(CallWindowOpened(discarder=deal.turn.seat, next_seat=next_seat, asked=asked))
        return
    start_turn(result, next_seat)


def _is_stuck(game: Game) -> bool:
    """Return whether too many consecutive turns made no progress (RULES 7.7)."""
    return quiet_turns_after(game.deal) >= game.variant.quiet_turn_limit


def start_turn(result: MoveResult, seat: int) -> None:
    """Start the seat's turn, or end the deal where the seat cannot draw at all."""
    deal, variant = result.deal, result.variant
    if not can_draw_stock(result.game):
        nothing_to_take = variant.stock_empty not in ("play_on", "end_at_once") and not legal_takes(
            result.game, seat
        )
        if not deal.discard_pile or nothing_to_take:
            end_deal(result, went_out=None)
            return
    result.emit(TurnStarted(deal=deal.number, seat=seat))


def pass_draw(result: MoveResult) -> None:
    """Continue after a passed draw (RULES 7.6): play from the hand, or end the deal."""
    deal = result.deal
    if result.variant.stock_empty != "play_on" or not deal.discard_pile:
        end_deal(result, went_out=None)
    elif not deal.hands[deal.turn.seat]:
        # A floating player who does not draw has no card to discard either.
        end_turn(result, thrown=False)


def go_out(result: MoveResult, seat: int) -> None:
    """End the deal because a seat has no cards left."""
    result.emit(PlayerWentOut(seat=seat))
    end_deal(result, went_out=seat)


def end_deal(result: MoveResult, *, went_out: int | None, target_reached: bool = False) -> None:
    """Score the deal and, if that decides the game, end the game."""
    game = result.game
    scored = score_deal(game, went_out=went_out, target_reached=target_reached)
    result.emit(DealEnded(result=scored))
    decision = decide_winners(
        game.variant,
        scored.totals,
        earlier=totals_so_far(game.variant, game.deals, game.totals),
        went_out=None if went_out is None else game.side(went_out),
        deals=scored.deal,
    )
    if decision is not None:
        sides, reason = decision
        winners = tuple(seat for seat in range(game.seats) if game.side(seat) in sides)
        result.emit(GameEnded(winners=winners, reason=reason))


def deal_event(game_key: bytes, variant: Variant, *, seats: int, deal: int, dealer: int) -> DealStarted:
    """Return the event of a deal: shuffled from the game's key, dealt from the dealer's left."""
    return deal_from_seed(deal_seed(game_key, deal), variant, seats=seats, deal=deal, dealer=dealer)


def deal_from_seed(seed: bytes, variant: Variant, *, seats: int, deal: int, dealer: int) -> DealStarted:
    """Return the event of a deal from its seed, which is public once the deal is over."""
    pack = shuffled(full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack), seed)
    hands, upcard, stock = deal_out(pack, seats=seats, hand_size=variant.hand_size, dealer=dealer)
    return DealStarted(
        deal=deal,
        dealer=dealer,
        hands=hands,
        upcard=upcard,
        stock=stock,
        stock_count=len(stock),
        commitment=commitment(seed),
    )


def start_next_deal(result: MoveResult) -> None:
    """Start the next deal; the next seat deals (RULES 1.7)."""
    game = result.game
    dealer = game.after(game.deal.dealer)
    result.emit(
        deal_event(game.key, game.variant, seats=game.seats, deal=game.deal.number + 1, dealer=dealer)
    )
    start_turn(result, game.after(dealer))
