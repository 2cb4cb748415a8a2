"""Given positions: sandbox games that start in the middle of a deal, fully checked."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from service.rummy.calling import seats_to_ask
from service.rummy.cards import ACE, KING, RANK, Card, full_pack, in_order, is_joker
from service.rummy.dealing import choose_dealer, commitment, deal_seed, shuffled, stock_seed
from service.rummy.errors import IllegalMove, ImpossiblePosition
from service.rummy.events import GameStarted, PositionGiven
from service.rummy.evolve import begin
from service.rummy.laying import can_keep, cards_to_settle
from service.rummy.melds import read_meld
from service.rummy.must_use import can_lay_off_last, targets_of
from service.rummy.options import MAX_DEALS
from service.rummy.play import Played
from service.rummy.sentences import Sentence
from service.rummy.state import Game, LaidCard, Meld, MeldKind, Phase, Turn
from service.rummy.variants import Variant

if TYPE_CHECKING:
    from service.rummy.moves import Ace


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenMeld:
    """A meld of a given position; the cards of a run are low to high.

    Id and kind are derived; those given must agree.
    """

    owner: int
    cards: tuple[LaidCard, ...]
    id: str | None = None
    kind: MeldKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTurn:
    """The turn of a given position.

    `tabled_before_turn` None is derived from the table.
    """

    seat: int
    phase: Phase
    must_use: Card | None = None
    may_not_discard: Card | None = None
    discarder: int | None = None
    melds_laid: int = 0
    tabled_before_turn: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A position to begin a sandbox game in.

    `discard_pile` has its oldest card first; the first card of `stock` is drawn next.
    Without a stock every card not named is in it, shuffled by the game's key; with one
    (even an empty one) cards not named are out of play. `totals` are by side.

    `hidden` is how many cards each hand holds beside those in `hands`; they are dealt from
    the cards not named. None for one of them: all that are not in the stock.
    `stock_count` is the size of a stock that is not given.
    """

    hands: tuple[tuple[Card, ...], ...]
    discard_pile: tuple[Card, ...]
    turn: GivenTurn
    stock: tuple[Card, ...] | None = None
    melds: tuple[GivenMeld, ...] = ()
    known: tuple[tuple[Card, ...], ...] | None = None
    totals: tuple[int, ...] | None = None
    dealer: int = 0
    deal: int = 1
    hidden: tuple[int | None, ...] | None = None
    stock_count: int | None = None


#: How often hands are dealt until a player holds what uses the card they took: with three cards in hand one
#: deal in two hundred will do.
_MAX_DEALT: Final = 1000


def game_from_position(variant: Variant, *, seats: int, key: bytes, position: Position) -> Played:
    """Return the first events and the state of a game that starts in the position.

    Raises ImpossiblePosition, naming the member, for one that no game can reach.
    """
    _check_numbers(position, variant, seats)
    seed = deal_seed(key, position.deal)
    rest = _rest_of_pack(position, variant)
    sizes = _hidden_sizes(position, len(rest))
    dealt = 0
    while True:
        order = shuffled(rest, stock_seed(seed, position.deal, dealt) if dealt else seed)
        dealt += 1
        whole = _with_hidden_cards(position, order, sizes)
        try:
            return _begin_in(whole, variant, seats=seats, key=key)
        except ImpossiblePosition as fault:
            if fault.where != "turn.must_use" or not any(sizes) or dealt == _MAX_DEALT:
                raise


def position_of(game: Game) -> Position:
    """Return the position of a game in which a deal is running, with all its cards."""
    deal, turn = game.deal, game.deal.turn
    return Position(
        hands=deal.hands,
        discard_pile=deal.discard_pile,
        stock=deal.stock,
        melds=tuple(GivenMeld(owner=meld.owner, cards=meld.cards) for meld in deal.melds),
        known=deal.known,
        totals=game.totals,
        dealer=deal.dealer,
        deal=deal.number,
        turn=GivenTurn(
            seat=turn.seat,
            phase=turn.phase,
            must_use=turn.must_use,
            may_not_discard=turn.may_not_discard,
            discarder=turn.discarder,
            melds_laid=turn.melds_laid,
            tabled_before_turn=turn.tabled_before,
        ),
    )


def _hidden_sizes(position: Position, left: int) -> tuple[int, ...]:
    """Return how many of the cards not named go to each hand."""
    sizes = position.hidden or ()
    in_hands = sum(size or 0 for size in sizes)
    stock = 0 if position.stock is not None else position.stock_count
    _refuse_unless(
        None not in sizes or (stock is not None and sizes.count(None) == 1),
        "hands",
        "Say how many cards the hands hold that you do not give: hand_count of each seat.",
    )
    needed = in_hands + (stock or 0)
    _refuse_unless(
        needed <= left,
        "hands",
        Sentence(
            "too_few_cards_left",
            "The hidden hands and the stock need {needed} cards; {left} are not named.",
            needed=needed,
            left=left,
        ),
    )
    return tuple(left - needed if size is None else size for size in sizes)


def _with_hidden_cards(position: Position, rest: tuple[Card, ...], sizes: tuple[int, ...]) -> Position:
    """Return the position with the hidden cards and the stock, taken from the front of the rest."""
    hands = list(position.hands)
    for seat, size in enumerate(sizes):
        hands[seat] = (*hands[seat], *rest[:size])
        rest = rest[size:]
    stock = rest[: position.stock_count] if position.stock is None else position.stock
    return replace(position, hands=tuple(hands), stock=stock)


def _begin_in(position: Position, variant: Variant, *, seats: int, key: bytes) -> Played:
    """Return the first events and the state of a game in a position without hidden cards."""
    seed = deal_seed(key, position.deal)
    stock = position.stock or ()
    event = PositionGiven(
        deal=position.deal,
        dealer=position.dealer,
        hands=tuple(in_order(hand) for hand in position.hands),
        known=position.known or ((),) * seats,
        stock=stock,
        stock_count=len(stock),
        discard_pile=position.discard_pile,
        melds=tuple(_read_meld(place, given, variant, seats) for place, given in enumerate(position.melds)),
        turn=_turn(position, variant),
        totals=position.totals or (0,) * variant.sides(seats),
        commitment=commitment(seed),
    )
    dealer, draws = choose_dealer(variant, seats, key)
    start = GameStarted(variant=variant, seats=seats, dealer=dealer, dealer_draws=draws)
    game = begin(key, start, event)
    if event.turn.discarder is not None:
        asked = seats_to_ask(game, event.turn.discarder)
        event = replace(event, turn=replace(event.turn, asked=asked))
        game = begin(key, start, event)
    _check_turn(game)
    return (start, event), game


def _refuse_unless(condition: object, where: str, message: str) -> None:
    if not condition:
        raise ImpossiblePosition(where, message)


def _check_numbers(position: Position, variant: Variant, seats: int) -> None:
    _refuse_unless(
        len(position.hands) == seats,
        "hands",
        Sentence("hands_wrong", "Give a hand for each of the {seats} seats.", seats=seats),
    )
    _refuse_unless(
        0 <= position.dealer < seats,
        "dealer",
        Sentence("dealer_out_of_range", "The dealer is a seat from 0 to {last}.", last=seats - 1),
    )
    _refuse_unless(
        1 <= position.deal <= MAX_DEALS,
        "deal",
        Sentence("deal_out_of_range", "The deal is a number from 1 to {most}.", most=MAX_DEALS),
    )
    _refuse_unless(
        0 <= position.turn.seat < seats,
        "turn.seat",
        Sentence("turn_seat_out_of_range", "The seat to move is from 0 to {last}.", last=seats - 1),
    )
    sides = variant.sides(seats)
    if position.totals is not None:
        _refuse_unless(
            len(position.totals) == sides,
            "totals",
            Sentence("totals_wrong", "Give {sides} totals, one for each side.", sides=sides),
        )
    if position.known is not None:
        _refuse_unless(
            len(position.known) == seats,
            "known",
            Sentence("known_wrong", "Give known cards for each of the {seats} seats.", seats=seats),
        )
        for seat, known in enumerate(position.known):
            _refuse_unless(
                not Counter(known) - Counter(position.hands[seat]),
                f"known.{seat}",
                "Known cards must be cards of that hand.",
            )


def _rest_of_pack(position: Position, variant: Variant) -> tuple[Card, ...]:
    """Return the cards not named, in canonical order; refuse a card named too often."""
    named: Counter[Card] = Counter()
    pack = full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack)
    held = Counter(pack)
    for where, card in _named(position):
        named[card] += 1
        _refuse_unless(
            held[card] > 0, where, Sentence("card_not_in_game", "The game has no {card}.", card=card)
        )
        _refuse_unless(
            named[card] <= held[card],
            where,
            Sentence(
                "card_given_too_often",
                "The {card} is given {times} times; the game has {packs}.",
                card=card,
                times=named[card],
                packs=held[card],
            ),
        )
    rest = []
    for card in pack:
        if named[card]:
            named[card] -= 1
        else:
            rest.append(card)
    return tuple(rest)


def _named(position: Position) -> Iterator[tuple[str, Card]]:
    """Yield each card that the position names, with the member that names it."""
    for seat, hand in enumerate(position.hands):
        yield from ((f"hands.{seat}", card) for card in hand)
    yield from (("discard_pile", card) for card in position.discard_pile)
    yield from (("stock", card) for card in position.stock or ())
    for place, meld in enumerate(position.melds):
        yield from ((f"melds.{place}.cards", laid.card) for laid in meld.cards)


def _read_meld(place: int, given: GivenMeld, variant: Variant, seats: int) -> Meld:
    where = f"melds.{place}"
    _refuse_unless(
        0 <= given.owner < seats,
        f"{where}.owner",
        Sentence("owner_out_of_range", "The owner is a seat from 0 to {last}.", last=seats - 1),
    )
    for laid in given.cards:
        _refuse_unless(
            0 <= laid.laid_by < seats,
            f"{where}.cards",
            Sentence("laid_by_out_of_range", "Cards are laid by a seat from 0 to {last}.", last=seats - 1),
        )
        foreign = variant.side(laid.laid_by) != variant.side(given.owner)
        _refuse_unless(
            not (foreign and variant.lay_off_targets == "own_side"),
            f"{where}.cards",
            "In this game players lay off only on melds of their own side.",
        )
        _refuse_unless(
            is_joker(laid.card) or laid.stands_for in (None, laid.card),
            f"{where}.cards",
            "Only a joker can stand for another card.",
        )
    return _meld(place, given, variant)


def _meld(place: int, given: GivenMeld, variant: Variant) -> Meld:
    where = f"melds.{place}"
    names = tuple(laid.card for laid in given.cards)
    meld_id = f"m{place + 1}"
    _refuse_unless(
        given.id in (None, meld_id),
        f"{where}.id",
        Sentence("meld_id_wrong", "The id of this meld is {meld_id}.", meld_id=meld_id),
    )
    stands_for = {laid.card: laid.stands_for for laid in given.cards if laid.stands_for is not None}
    # Only a run of all thirteen ranks needs the end of its ace; the order of the cards shows it.
    ace: Ace | None = None
    if len(names) == KING:
        ace = "low" if RANK[given.cards[0].face] == ACE else "high"
    try:
        kind, laid = read_meld(names, stands_for=stands_for, ace=ace, seat=given.owner, variant=variant)
        if kind is MeldKind.RUN and len(laid) == KING and variant.ace_in_run == "around":
            # A whole suit that lay-offs went round the corner with may begin with any rank.
            first = [one.card for one in laid].index(names[0])
            laid = (*laid[first:], *laid[:first])
    except IllegalMove as fault:
        raise ImpossiblePosition(where, fault.message) from fault
    _refuse_unless(
        given.kind in (None, kind),
        f"{where}.kind",
        Sentence("meld_kind_wrong", "These cards make a {kind}.", kind=kind),
    )
    cards = given.cards
    if kind is MeldKind.RUN:
        _refuse_unless(
            tuple(one.card for one in laid) == names, where, "Give the cards of a run from low to high."
        )
    together = sum(1 for one in cards if one.laid_by == given.owner)
    if kind is MeldKind.SET:
        cards = tuple(sorted(cards, key=lambda one: one.laid_by != given.owner))
    cards = tuple(
        LaidCard(
            card=one.card, laid_by=one.laid_by, stands_for=one.stands_for if is_joker(one.card) else None
        )
        for one in cards
    )
    # A position does not record how a meld grew: its owner's cards count as laid at once.
    return Meld(id=meld_id, owner=given.owner, kind=kind, cards=cards, laid_at_once=together)


def _turn(position: Position, variant: Variant) -> Turn:
    given = position.turn
    hand = position.hands[given.seat]
    drawn = given.phase is Phase.MELD
    # In the meld phase a hand of one card with no meld laid is the card a floating player just drew.
    floating = not hand if not drawn else len(hand) == 1 and not given.melds_laid
    seats = len(position.hands)
    discarder: int | None = None
    if given.phase is Phase.RUMMY_CALL:
        discarder = (given.seat - 1) % seats if given.discarder is None else given.discarder
    tabled = any(laid.laid_by == given.seat for meld in position.melds for laid in meld.cards)
    return Turn(
        seat=given.seat,
        phase=given.phase,
        must_use=given.must_use,
        may_not_discard=given.may_not_discard,
        melds_laid=given.melds_laid,
        tabled=given.melds_laid > 0,
        quiet=not drawn,
        tabled_before=tabled if given.tabled_before_turn is None else given.tabled_before_turn,
        floating=floating and variant.floating,
        discarder=discarder,
    )


def _check_turn(game: Game) -> None:
    """Refuse a turn that no game can reach, or in which a player would have no legal move."""
    deal, variant, turn = game.deal, game.variant, game.deal.turn
    if turn.phase is Phase.MELD:
        _check_meld_phase(game)
    else:
        _refuse_unless(
            turn.must_use is None and turn.may_not_discard is None and not turn.melds_laid,
            "turn",
            "Before the draw leave out must_use and may_not_discard, and set melds_laid to 0.",
        )
    if turn.phase is Phase.RUMMY_CALL:
        _refuse_unless(variant.call_rummy != "off", "turn.phase", 'Calling "Rummy!" is off in this game.')
        _refuse_unless(
            turn.discarder is not None and game.after(turn.discarder) == turn.seat,
            "turn.discarder",
            "In a rummy call turn.seat draws next: it is the seat after turn.discarder.",
        )
        _refuse_unless(deal.discard_pile, "discard_pile", "There is no discard to call.")
        _refuse_unless(turn.asked, "turn.phase", "No player is asked here: begin with the draw.")


def _check_meld_phase(game: Game) -> None:
    deal, turn = game.deal, game.deal.turn
    hand = deal.hands[turn.seat]
    max_melds = game.variant.melds_per_turn
    _refuse_unless(hand, f"hands.{turn.seat}", "After the draw the seat to move must hold a card.")
    _refuse_unless(
        turn.melds_laid >= 0 and (max_melds is None or turn.melds_laid <= max_melds),
        "turn.melds_laid",
        "More melds were laid than a turn allows.",
    )
    if turn.must_use is not None:
        _refuse_unless(turn.must_use in hand, "turn.must_use", "The card in must_use must be in the hand.")
        _refuse_unless(
            cards_to_settle(game, turn.must_use) is not None,
            "turn.must_use",
            "The card in must_use cannot be used this turn.",
        )
        _refuse_unless(
            turn.may_not_discard is None, "turn.may_not_discard", "Set must_use or may_not_discard, not both."
        )
    if turn.may_not_discard is not None:
        _refuse_unless(
            game.variant.top_discard == "may_keep" and game.variant.same_card_back == "forbidden",
            "turn.may_not_discard",
            "may_not_discard needs top_discard: may_keep and same_card_back: forbidden.",
        )
        _refuse_unless(
            turn.may_not_discard in hand,
            "turn.may_not_discard",
            "The card in may_not_discard must be in the hand.",
        )
        targets = targets_of(deal, turn.seat, game.variant)
        _refuse_unless(
            len(hand) > 1 or can_keep(game, turn.seat) or can_lay_off_last(hand[0], targets, game.variant),
            "turn.may_not_discard",
            "The hand must hold another card to discard.",
        )
