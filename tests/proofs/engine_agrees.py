"""Plays games in the rules and in the engine at once and compares the two.

    python -m tests.proofs.engine_agrees --games 2000 [--seed N] [--preset NAME]

Every step compares the legal moves, makes one of them in both, and compares where the cards are, what fits
onto the table, whose turn it is and its duties; at the start of a turn also the known cards of each hand, at
the end of a deal the scores. Jokers are alike in the engine, so `X1` and `X2` count as one card here.
"""

import argparse
import sys
from collections import Counter
from random import Random

from service.rummy.calling import cards_that_may_join, positions_taken
from service.rummy.cards import Card, is_joker
from service.rummy.dealing import sandbox_key
from service.rummy.legal_moves import legal_moves, seats_to_act
from service.rummy.melds import openings
from service.rummy.moves import (
    CallRummy,
    Discard,
    DrawStock,
    KeepCard,
    LayMeld,
    LayOff,
    Move,
    Pass,
    StartNextDeal,
    TakeDiscard,
    cards_used,
)
from service.rummy.must_use import targets_of
from service.rummy.play import new_game, play
from service.rummy.presets import PRESETS
from service.rummy.state import Game, MeldKind, Phase, Stage
from service.rummy.views import view_for
from tests.support.strategies import HOUSE_RULES, TEMPERS, SetUp, Temper, agree, choose_move
from workers.bots.engine import deal as sim
from workers.bots.engine.card_bits import HIGH, JOKER, LANE, codes_of, mask_of
from workers.bots.engine.from_view import deal_of, meld_on_table
from workers.bots.engine.legal_plays import can_keep, legal_discards, legal_lay_offs, legal_melds
from workers.bots.engine.legal_takes import legal_takes
from workers.bots.engine.melds import HIGH_END, LOW_END, ON_SET, MeldOnTable
from workers.bots.engine.player_state import PlayerState
from workers.bots.engine.rules import code_of, engine_knows
from workers.bots.engine.scoring import scores


def simulated(game: Game) -> sim.SimulatedDeal:
    """Return the engine's deal of a game, every field as in the rules."""
    deal = game.deal
    view = view_for(game, deal.turn.seat)
    same = deal_of(
        view,
        game.variant,
        hands=[[code_of(card) for card in hand] for hand in deal.hands],
        stock=[code_of(card) for card in deal.stock],
        melds_laid=deal.turn.melds_laid,
        floats=deal.turn.floating,
    )
    same.tabled, same.tabled_before = deal.turn.tabled, deal.turn.tabled_before
    if _is_call_window(game):
        # The engine is at the next seat's draw already.
        same.tabled_before, same.floats = (
            deal.has_tabled(deal.turn.seat),
            not deal.hands[deal.turn.seat],
        )
    same.called, same.quiet = deal.turn.called, deal.turn.quiet
    same.quiet_turns, same.renewals = deal.quiet_turns, deal.renewals
    return same


# --- One move, in one form ---------------------------------------------------------------------------


def in_one_form(move: Move, game: Game) -> tuple:
    """Return a move in a form that rules and engine share: jokers alike and cards as codes."""
    match move:
        case DrawStock() | Pass() | KeepCard():
            return (move.type,)
        case TakeDiscard():
            return ("take", move.position)
        case Discard():
            return ("discard", code_of(move.card))
        case LayOff():
            number = [meld.id for meld in game.deal.melds].index(move.meld_id)
            meld = game.deal.melds[number]
            face = code_of(move.stands_for or move.card)
            return ("lay_off", number, code_of(move.card), face, _end(move, meld, face))
        case LayMeld():
            naturals = Counter(code_of(card) for card in move.cards if not is_joker(card))
            wild = Counter(code_of(move.stands_for[card]) for card in move.cards if is_joker(card))
            return ("meld", _sorted(naturals), _sorted(wild), move.ace)
    raise AssertionError(move)


def _end(move: LayOff, meld, face: int) -> int:
    if meld.kind is MeldKind.SET:
        return ON_SET
    if move.end is not None:
        return LOW_END if move.end == "low" else HIGH_END
    return LOW_END if face % LANE == meld.low - 2 else HIGH_END


def _sorted(cards: Counter) -> tuple:
    return tuple(sorted(cards.elements()))


def simulated_moves(deal: sim.SimulatedDeal) -> dict[tuple, object]:
    """Return the engine's legal moves by the same forms."""
    if deal.phase == sim.DRAW:
        moves: dict[tuple, object] = {("take", place): place for place in legal_takes(deal)}
        moves["draw_stock" if deal.can_draw_stock() else "pass",] = None
        return moves
    moves = {("discard", code): code for code in legal_discards(deal)}
    if can_keep(deal):
        moves["keep",] = None
    for off in legal_lay_offs(deal):
        moves["lay_off", off.meld, off.code, off.face, off.end] = off
    for lay in legal_melds(deal):
        both = Counter(codes_of(lay.naturals)) + Counter(codes_of(lay.twins))
        ace = None
        span, rules = lay.high - lay.low, deal.rules
        if lay.suit >= 0 and span == 12 and rules.span[12] and rules.span[16 + HIGH]:
            ace = "low" if lay.low == 0 else "high"
        moves["meld", _sorted(both), tuple(codes_of(lay.wild)), ace] = lay
    return moves


def make(deal: sim.SimulatedDeal, form: tuple, move: object) -> None:
    """Make a move in the engine."""
    match form[0]:
        case "draw_stock":
            deal.draw_stock()
        case "pass":
            deal.pass_draw()
        case "take":
            deal.take(form[1])
        case "discard":
            deal.discard(form[1])
        case "keep":
            deal.keep()
        case "lay_off":
            deal.lay_off(move)
        case _:
            deal.lay(move)


# --- What is compared --------------------------------------------------------------------------------


def difference(game: Game, deal: sim.SimulatedDeal) -> str | None:
    """Return how the two differ; None if they agree."""
    # A window opens even where the next seat can draw nothing, and the deal ends only once it is closed.
    if not _is_call_window(game) and (game.status is not Stage.PLAYING) != (deal.phase == sim.OVER):
        return f"one deal is over: {game.status}, {deal.phase}"
    wrong = _other_cards(game, deal) or _other_table(game, deal)
    if wrong is not None:
        return wrong
    if game.status is not Stage.PLAYING:
        return _other_end(game, deal)
    if _is_call_window(game):
        return None
    return _other_turn(game, deal) or _other_known(game, deal)


def _is_call_window(game: Game) -> bool:
    return game.status is Stage.PLAYING and game.deal.turn.phase is Phase.RUMMY_CALL


def _other_cards(game: Game, deal: sim.SimulatedDeal) -> str | None:
    """Compare hands, discard pile and stock."""
    real = game.deal
    for seat, player in enumerate(deal.players):
        theirs = Counter(code_of(card) for card in real.hands[seat])
        if theirs != held(player) or player.size != len(real.hands[seat]):
            return f"hand of {seat}: {theirs} {held(player)}"
    pile = [code_of(card) for card in real.discard_pile]
    if deal.pile != pile or deal.pile_faces != mask_of([code for code in pile if code != JOKER]):
        return "pile"
    return None if deal.stock[::-1] == [code_of(card) for card in real.stock] else "stock"


def _other_table(game: Game, deal: sim.SimulatedDeal) -> str | None:
    """Compare the melds, the faces in them, and those that fit onto them."""
    melds = game.deal.melds
    if [vars_of(meld) for meld in deal.melds] != [vars_of(meld_on_table(meld)) for meld in melds]:
        return "melds"
    faces = mask_of([code_of(laid.face) for meld in melds for laid in meld.cards])
    if deal.on_table != faces:
        return f"faces on the table: {codes_of(faces)} {codes_of(deal.on_table)}"
    for seat, player in enumerate(deal.players):
        fits = faces_that_fit(game, seat)
        if player.fits != fits:
            return f"what fits for {seat}: {codes_of(fits)} {codes_of(player.fits)}"
    return None


def _other_end(game: Game, deal: sim.SimulatedDeal) -> str | None:
    """Compare who went out of a deal that is over, and its scores."""
    result = game.deals[-1]
    out = sim.NO_SEAT if result.went_out is None else result.went_out
    if deal.went_out != out:
        return f"went out: {out} {deal.went_out}"
    scored = [seat.score for seat in result.seats]
    return None if scores(deal) == scored else f"scores: {scored} {scores(deal)}"


def _other_turn(game: Game, deal: sim.SimulatedDeal) -> str | None:
    """Compare whose turn it is, and its duties."""
    real, turn = game.deal, game.deal.turn
    theirs = (
        turn.seat,
        sim.DRAW if turn.phase is Phase.DRAW else sim.MELD,
        *(sim.NO_CARD if card is None else code_of(card) for card in (turn.must_use, turn.may_not_discard)),
        turn.melds_laid,
        turn.tabled,
        turn.tabled_before,
        turn.floating,
        turn.quiet,
        real.quiet_turns,
        real.renewals,
    )
    ours = (
        deal.seat,
        deal.phase,
        deal.owed,
        deal.barred,
        deal.melds_laid,
        deal.tabled,
        deal.tabled_before,
        deal.floats,
        deal.quiet,
        deal.quiet_turns,
        deal.renewals,
    )
    return None if theirs == ours else f"turn: {theirs} {ours}"


def _other_known(game: Game, deal: sim.SimulatedDeal) -> str | None:
    """Compare the known cards of each hand at the start of a turn.

    Of two copies the rules know which was seen: it is played first (RULES 1.2). In the engine the card is
    known as long as a copy is left.
    """
    if deal.phase != sim.DRAW:
        return None
    for seat, player in enumerate(deal.players):
        theirs = mask_of([code_of(card) for card in game.deal.known[seat] if not is_joker(card)])
        ours = player.known & player.hand
        if ours != theirs and (deal.rules.packs == 1 or theirs & ~ours):
            return f"known of {seat}: {codes_of(theirs)} {codes_of(ours)}"
    return None


def faces_that_fit(game: Game, seat: int) -> int:
    """Return by the rules the faces that fit onto the melds on which a seat may lay off."""
    targets = targets_of(game.deal, seat, game.variant)
    return mask_of([code_of(face) for meld in targets for face in openings(meld, game.variant)])


def held(player: PlayerState) -> Counter:
    """Return the cards in a hand, jokers alike."""
    return Counter([*codes_of(player.hand), *codes_of(player.twins), *[JOKER] * player.jokers])


def vars_of(meld: MeldOnTable) -> tuple[int, ...]:
    return (meld.owner, meld.suit, meld.low, meld.high, meld.faces, meld.size)


def play_both(set_up: SetUp, seed: int, *, deals: int = 2) -> str | None:
    """Play some deals of a game at random in both; return the first difference, or None."""
    chance = Random(seed)
    temper = TEMPERS[chance.choice([*TEMPERS])]
    _, game = new_game(set_up.variant, seats=set_up.seats, key=sandbox_key(f"simulated:{seed}"))
    while True:
        deal = simulated(game)
        while game.status is Stage.PLAYING:
            wrong, after, deal = _step(game, deal, chance, temper)
            if wrong is not None:
                return f"{wrong}\n{game.deal}"
            game = after
        if game.status is Stage.FINISHED or len(game.deals) == deals:
            return None
        _, game = play(game, StartNextDeal())


def _step(
    game: Game, deal: sim.SimulatedDeal, chance: Random, temper: Temper
) -> tuple[str | None, Game, sim.SimulatedDeal]:
    """Make one move in both; return the difference, and the two after it."""
    if _is_call_window(game):
        return _step_in_call_window(game, deal, chance, temper)
    seat = seats_to_act(game)[0]
    legal, ours = legal_moves(game, seat), simulated_moves(deal)
    by_form: dict[tuple, list[Move]] = {}
    for move in legal.moves:
        by_form.setdefault(in_one_form(move, game), []).append(move)
    if legal.complete and by_form.keys() != ours.keys():
        missing, added = by_form.keys() - ours.keys(), ours.keys() - by_form.keys()
        return f"legal moves: only in the rules {missing}, only in the engine {added}", game, deal
    form = _chosen(by_form, chance, temper)
    # Of moves that differ in their jokers only: the one that lays what is owed or barred.
    turn = game.deal.turn
    move = max(
        by_form[form],
        key=lambda one: (
            turn.must_use in _cards(one),
            (turn.may_not_discard in _cards(one)) is not isinstance(one, Discard),
        ),
    )
    _, after = play(game, move)
    make(deal, form, ours[form])
    if after.deal.renewals > game.deal.renewals and game.variant.stock_empty == "reshuffle":
        # Each shuffles in its own way: compare only what was shuffled.
        theirs = simulated(after)
        if deal.pile != theirs.pile or _stock_and_hand(deal, seat) != _stock_and_hand(theirs, seat):
            return "another stock", after, deal
        return None, after, theirs
    wrong = difference(after, deal)
    return (None if wrong is None else f"after {move}: {wrong}"), after, deal


def _step_in_call_window(
    game: Game, deal: sim.SimulatedDeal, chance: Random, temper: Temper
) -> tuple[str | None, Game, sim.SimulatedDeal]:
    """Pass or call; the engine's deal has gone on to the next seat's draw, and a call takes it back."""
    seat = chance.choice(seats_to_act(game))
    move = choose_move(game, seat, chance, temper)
    _, after = play(game, move)
    if isinstance(move, CallRummy):
        deal = simulated(game)
        places = positions_taken(
            game.deal.discard_pile,
            move.position,
            cards_used(move.use),
            cards_that_may_join(game, seat),
            game.variant,
        )
        deal.call(seat, [*places])
        form = in_one_form(move.use, game)
        ours = simulated_moves(deal)
        if form not in ours:
            return f"the engine does not allow the use of {move}", after, deal
        make(deal, form, ours[form])
    wrong = difference(after, deal)
    return (None if wrong is None else f"after {move}: {wrong}"), after, deal


def _chosen(by_form: dict[tuple, list[Move]], chance: Random, temper: Temper) -> tuple:
    """Choose first the kind, as the temper likes it, then the move."""
    kinds: dict[str, list[tuple]] = {}
    for form in by_form:
        kinds.setdefault(form[0], []).append(form)
    names = [*kinds]
    weights = [temper.get("take_discard" if name == "take" else name, 1.0) for name in names]
    return chance.choice(sorted(kinds[chance.choices(names, weights)[0]], key=str))


def _cards(move: Move) -> tuple[Card | None, ...]:
    return move.cards if isinstance(move, LayMeld) else (getattr(move, "card", None),)


def _stock_and_hand(deal: sim.SimulatedDeal, seat: int) -> Counter:
    return held(deal.players[seat]) + Counter(deal.stock)


def any_set_up(chance: Random, preset: str | None) -> SetUp:
    """Return a set-up whose rules the engine knows: a preset, seats, and often some house rules."""
    while True:
        name = preset or chance.choice([*PRESETS])
        seats = chance.randint(*PRESETS[name].players)
        rules = [chance.choice(HOUSE_RULES) for _ in range(chance.choice((0, 0, 1, 3, 6)))]
        set_up = agree(name, seats, rules)
        if engine_knows(set_up.variant):
            return set_up


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preset", choices=PRESETS)
    asked = parser.parse_args()
    for seed in range(asked.seed, asked.seed + asked.games):
        set_up = any_set_up(Random(seed), asked.preset)
        wrong = play_both(set_up, seed)
        if wrong is not None:
            print(f"seed {seed}: {set_up}\n{wrong}")
            return 1
    print(f"{asked.games} games from seed {asked.seed}: rules and engine agree.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
