"""Players and the deal (RULES 1)."""

import re
from collections import Counter

import pytest

from service.rummy.cards import ACE, PACK, RANK, full_pack, is_joker
from service.rummy.dealing import choose_dealer, deal_seed, shuffled
from service.rummy.errors import VariantContradiction
from service.rummy.presets import resolve
from service.rummy.views import view_for
from tests.rule_texts.proofs import Case, Mutant, calls_closed, states
from tests.support.tables import KEY, discard, draw_stock, next_deal

KEYS = [bytes([number]) * 32 for number in range(60)]


@states(
    "1.1",
    "The game is for {players} players.",
    Mutant("presets", "if not min_seats <= seats <= max_seats:", "if False:"),
)
def only_so_many_players_play(case: Case):
    allowed = [int(number) for number in case.said["players"].split(" to ")]
    assert allowed[0] <= case.dealt().seats <= allowed[-1]
    if not case.overrides and len(allowed) == 2:
        for seats in (allowed[0] - 1, allowed[1] + 1):
            with pytest.raises(VariantContradiction) as refusal:
                resolve(case.preset, {}, seats=seats)
            assert refusal.value.option == "seats"
            assert f"{allowed[0]} to {allowed[1]} players" in refusal.value.message


@states(
    "1.1",
    "Seats are numbered clockwise, and play passes to the left.",
    Mutant("state", "return (seat + 1) % self.seats", "return (seat - 2) % self.seats"),
)
def the_next_number_plays_next(case: Case):
    for seat in range(case.seats):
        deal = case.table(hands=_one_rich_hand(case, seat), turn=seat)
        after = calls_closed(deal.move(draw_stock(), discard("9D")))
        assert after.turn.seat == (seat + 1) % case.seats


def _one_rich_hand(case: Case, seat: int) -> list[str]:
    small = ["2D", "3D", "4D", "5D", "6D", "7D", "8D", "TD"]
    return ["2C 9D" if other == seat else small[other] for other in range(case.seats)]


@states(
    "1.8",
    "Two teams play.",
    Mutant("variants", 'return 2 if self.teams == "pairs" else seats', "return seats"),
)
def there_are_two_totals(case: Case):
    assert len(case.dealt().game.totals) == 2


@states(
    "1.8",
    "Partners sit opposite each other, have a hand each, and share one total.",
    Mutant(
        "variants", 'return seat % 2 if self.teams == "pairs"', 'return seat // 2 if self.teams == "pairs"'
    ),
)
def the_total_is_that_of_opposite_seats(case: Case):
    deal = case.table(hands=["2C", "3C", "4C", "5C"], phase="meld").move(discard("2C"))
    assert deal.hand(2) == ("4C",)
    scores = deal.scores
    assert deal.game.totals == (scores[0] + scores[2], scores[1] + scores[3])


def _copies(case: Case) -> set[int]:
    found = Counter(card for card in case.dealt().whole_pack() if not is_joker(card))
    assert set(found) == set(PACK)
    return set(found.values())


@states(
    "1.2", "The game uses one pack of 52 cards.", Mutant("cards", "return PACK * packs", "return PACK * 2")
)
def every_card_is_there_once(case: Case):
    assert _copies(case) == {1}


@states(
    "1.2",
    "The game uses two packs of 52 cards shuffled together, so every card occurs twice.",
    Mutant("cards", "return PACK * packs", "return PACK"),
)
def every_card_is_there_twice(case: Case):
    assert _copies(case) == {2}


@states(
    "1.2",
    "The game uses three packs of 52 cards shuffled together, so every card occurs three times.",
    Mutant("cards", "return PACK * packs", "return PACK * min(packs, 2)"),
)
def every_card_is_there_three_times(case: Case):
    assert _copies(case) == {3}


@states(
    "1.2",
    "The game uses one pack of 52 cards; with {many} or more players it uses two, shuffled together.",
    Mutant("presets", "2 if seats >= TWO_PACKS_FROM else 1", "2 if seats > TWO_PACKS_FROM else 1"),
    Mutant("presets", "2 if seats >= TWO_PACKS_FROM else 1", "2 if seats + 1 >= TWO_PACKS_FROM else 1"),
)
def packs_follow_the_number_of_players(case: Case):
    assert _copies(case) == ({2} if case.seats >= int(case.said["many"]) else {1})


def _jokers(case: Case) -> int:
    return sum(is_joker(card) for card in case.dealt().whole_pack())


@states(
    "1.3",
    "Each pack has 1 joker.",
    Mutant("cards", "JOKERS[: packs * jokers_per_pack]", "JOKERS[: packs * 2]"),
)
def each_pack_has_one_joker(case: Case):
    assert _jokers(case) == case.variant.packs


@states(
    "1.3",
    "Each pack has 2 jokers.",
    Mutant("cards", "JOKERS[: packs * jokers_per_pack]", "JOKERS[:jokers_per_pack]"),
)
def each_pack_has_two_jokers(case: Case):
    assert _jokers(case) == 2 * case.variant.packs


@states(
    "1.4",
    "Each player is dealt {hands}.",
    Mutant("dealing", "dealt = seats * hand_size", "dealt = seats * (hand_size - 1)"),
    Mutant("presets", "base.hand_sizes[seats]", "max(base.hand_sizes.values())"),
)
def hands_have_this_size(case: Case):
    ways = re.findall(r"(\d+) cards(?: with (\d+)(?: to (\d+))? players)?", case.said["hands"])
    size = next(
        int(cards)
        for cards, least, most in ways
        if not least or int(least) <= case.seats <= int(most or least)
    )
    deal = case.dealt()
    assert {len(deal.hand(seat)) for seat in range(case.seats)} == {size}


@states(
    "1.5",
    "The next card, the upcard, is turned face up and starts the discard pile.",
    Mutant("dealing", "pack[dealt], tuple(pack[dealt + 1 :])", "pack[-1], tuple(pack[dealt:-1])"),
)
def the_card_after_the_hands_is_the_upcard(case: Case):
    variant, deal = case.variant, case.dealt()
    pack = shuffled(
        full_pack(packs=variant.packs, jokers_per_pack=variant.jokers_per_pack), deal_seed(KEY, 1)
    )
    assert deal.pile == (pack[case.seats * variant.hand_size],)


@states(
    "1.5",
    "The pile is spread so that every card stays visible.",
    Mutant("views", "discard_pile=deal.discard_pile", "discard_pile=deal.discard_pile[-1:]"),
)
def everyone_sees_the_whole_pile(case: Case):
    deal = case.table(hands=["2C 9D"], pile="7H 8C JS")
    for viewer in (None, *range(case.seats)):
        assert view_for(deal.game, viewer).discard_pile == ("7H", "8C", "JS")


@states(
    "1.5",
    "Its newest card is the top discard.",
    Mutant(
        "evolve",
        "discard_pile=(*deal.discard_pile, event.card)",
        "discard_pile=(event.card, *deal.discard_pile)",
    ),
)
def a_discard_becomes_the_newest_card(case: Case):
    deal = case.table(hands=["2C 9D"], pile="7H 8C")
    assert deal.move(draw_stock(), discard("9D")).pile == ("7H", "8C", "9D")


def _draws(case: Case):
    for key in KEYS:
        dealer, draws = choose_dealer(case.variant, case.seats, key)
        rounds: list[dict[int, str]] = []
        for draw in draws:
            rounds += [{}] * (draw.again + 1 - len(rounds))
            rounds[draw.again] = {**rounds[draw.again], draw.seat: draw.card}
        yield dealer, rounds


_BEST = 'best = min if variant.first_dealer == "low_card" else max'


@states(
    "1.6",
    "Each player draws a card; the player with the lowest card deals first.",
    Mutant("dealing", _BEST, "best = max"),
)
def the_lowest_card_deals(case: Case):
    for dealer, rounds in _draws(case):
        assert set(rounds[0]) == set(range(case.seats))
        assert all(
            RANK[card] > RANK[rounds[-1][dealer]] for seat, card in rounds[-1].items() if seat != dealer
        )


@states(
    "1.6",
    "Each player draws a card; the player with the highest card deals first.",
    Mutant("dealing", _BEST, "best = min"),
)
def the_highest_card_deals(case: Case):
    for dealer, rounds in _draws(case):
        assert set(rounds[0]) == set(range(case.seats))
        assert all(
            RANK[card] < RANK[rounds[-1][dealer]] for seat, card in rounds[-1].items() if seat != dealer
        )


@states(
    "1.6",
    "For this draw aces are low.",
    Mutant(
        "dealing",
        "wanted = best(RANK[card] for card in drawn.values())",
        "wanted = best((RANK[card] + 11) % 13 for card in drawn.values()) + 2",
    ),
)
def an_ace_is_below_the_two(case: Case):
    wins = case.variant.first_dealer == "low_card"
    with_an_ace = 0
    for dealer, rounds in _draws(case):
        aces = {seat for seat, card in rounds[0].items() if RANK[card] == ACE}
        if aces and len(aces) < case.seats:
            with_an_ace += 1
            assert (dealer in aces) == wins
    assert with_an_ace > 3


@states(
    "1.6",
    "If players tie, only they draw again.",
    Mutant(
        "dealing",
        "tied = [seat for seat, card in drawn.items() if RANK[card] == wanted]",
        "tied = [max(drawn)]",
    ),
    Mutant(
        "dealing",
        "tied = [seat for seat, card in drawn.items() if RANK[card] == wanted]",
        "tied = [s for s, c in drawn.items() if RANK[c] == wanted]; tied = tied if len(tied) < 2 else list(drawn)",
    ),
)
def the_tied_draw_again(case: Case):
    ties = 0
    best = min if case.variant.first_dealer == "low_card" else max
    for _, rounds in _draws(case):
        for drawn, following in zip(rounds, [*rounds[1:], {}], strict=True):
            wanted = best(RANK[card] for card in drawn.values())
            tied = {seat for seat, card in drawn.items() if RANK[card] == wanted}
            ties += len(tied) > 1
            assert set(following) == (tied if len(tied) > 1 else set())
    assert ties


@states(
    "1.6",
    "The first dealer is chosen at random.",
    Mutant("dealing", "return _below(seats, _words(", "return _below(1, _words("),
)
def every_seat_may_deal_first(case: Case):
    assert {dealer for dealer, _ in _draws(case)} == set(range(case.seats))


@states(
    "1.6",
    "Seat {seat} deals first; seats are counted from 0.",
    Mutant("dealing", "return variant.first_dealer, ()", "return variant.first_dealer - 1, ()"),
)
def this_seat_deals_first(case: Case):
    assert case.dealt().dealer == int(case.said["seat"])


@states(
    "1.7",
    "After each deal the player to the dealer's left deals next.",
    Mutant("ending", "dealer = game.after(game.deal.dealer)", "dealer = game.deal.dealer"),
)
def the_next_seat_deals(case: Case):
    for dealer in range(case.seats):
        over = case.table(hands=["2C"], phase="meld", dealer=dealer).move(discard("2C"))
        assert over.move(next_deal()).dealer == (dealer + 1) % case.seats


@states(
    "1.7",
    "The player to the dealer's left also takes the first turn.",
    Mutant("play", "start_turn(result, result.game.after(dealer))", "start_turn(result, dealer)"),
    Mutant("ending", "start_turn(result, game.after(dealer))", "start_turn(result, dealer)"),
)
def the_seat_after_the_dealer_begins(case: Case):
    first = case.dealt()
    assert first.turn.seat == (first.dealer + 1) % case.seats
    second = case.table(hands=["2C"], phase="meld").move(discard("2C"), next_deal())
    assert second.turn.seat == (second.dealer + 1) % case.seats
