"""The rules of one variant in plain words, made from the values it is played by.

Nothing here is written for a preset: a sentence belongs to a value of an option,
so that what is read and what is played cannot drift apart. The numbers are those
of RULES.md, which says all of it for every value.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from service.rummy.presets import PRESETS, TWO_PACKS_FROM
from service.rummy.variants import Variant

Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its number in RULES.md, and its sentence for this variant."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """Rules that belong together."""

    title: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """All rules of one variant, in the order they are needed at a table."""

    preset: str
    title: str
    sentence: str
    options: Options
    chapters: tuple[Chapter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """What the sentences are made from. `hand_sizes` by the number of players."""

    options: Options
    hand_sizes: Mapping[int, int]

    @property
    def min_players(self) -> int:
        return min(self.hand_sizes)

    @property
    def max_players(self) -> int:
        return max(self.hand_sizes)

    def __getitem__(self, option: str) -> Any:  # noqa: ANN401 - each option has its own type
        return self.options[option]


def preset_rule_book(name: str) -> RuleBook:
    """Return the rules of a preset, for every number of players it takes."""
    preset = PRESETS[name]
    return _make_book(name, _Settings(options=preset.options, hand_sizes=preset.hand_sizes))


def variant_rule_book(variant: Variant, *, seats: int) -> RuleBook:
    """Return the rules of a game with its overrides."""
    return _make_book(
        variant.name, _Settings(options=variant.options(), hand_sizes={seats: variant.hand_size})
    )


def to_markdown(book: RuleBook) -> str:
    """Return the rules as Markdown."""
    lines = [f"# {book.title}", "", book.sentence]
    for chapter in book.chapters:
        lines += ["", f"## {chapter.title}", ""]
        lines += [f"- {rule.text} ({rule.rule})" for rule in chapter.rules]
    lines += ["", "## Options", "", "| option | value |", "|---|---|"]
    lines += [f"| `{name}` | {_option_text(value)} |" for name, value in book.options.items()]
    lines += ["", "The numbers are those of the rule book, RULES.md.", ""]
    return "\n".join(lines)


def _option_text(value: object) -> str:
    words = {None: "null", True: "true", False: "false"}
    return words[value] if value is None or isinstance(value, bool) else str(value)


def _make_book(name: str, settings: _Settings) -> RuleBook:
    preset = PRESETS[name]
    chapters = (
        Chapter(title=title, rules=tuple(Rule(rule=number, text=text) for number, text in rules(settings)))
        for title, rules in _CHAPTERS
    )
    return RuleBook(
        preset=name,
        title=preset.title,
        sentence=preset.sentence,
        options=dict(settings.options),
        chapters=tuple(chapter for chapter in chapters if chapter.rules),
    )


_Rules = Iterator[tuple[str, str]]


def _deal(settings: _Settings) -> _Rules:
    players = (
        f"{settings.min_players}"
        if settings.min_players == settings.max_players
        else f"{settings.min_players} to {settings.max_players}"
    )
    yield "1.1", f"For {players} players. Seats lie clockwise, and play passes to the left."
    if settings["teams"] == "pairs":
        yield "1.8", "Two teams: partners sit opposite, hold their own hands, and share one total."
    yield "1.2", _packs(settings)
    if jokers := settings["jokers_per_pack"]:
        yield "1.3", f"Each pack has {jokers} joker{'s' if jokers > 1 else ''}."
    yield "1.4", f"Everybody is dealt {_hands(settings)}."
    yield (
        "1.5",
        "The next card is turned up. It begins the discard pile, which lies spread: every card shows.",
    )
    yield (
        "1.6",
        _FIRST_DEALER.get(
            settings["first_dealer"], f"Seat {settings['first_dealer']} deals first; seats count from 0."
        ),
    )
    yield "1.7", "After each deal the next seat deals. The player at the dealer's left begins."


_FIRST_DEALER: Final = {
    "low_card": "Everybody draws a card; the lowest deals first, aces being low. Who ties draws again.",
    "high_card": "Everybody draws a card; the highest deals first, aces being low. Who ties draws again.",
    "random": "Chance picks who deals first.",
}


def _packs(settings: _Settings) -> str:
    one, two = "One pack of 52 cards.", "Two packs of 52 cards, shuffled together: every card is there twice."
    if settings["packs"] != "auto":
        return two if settings["packs"] == 2 else one  # noqa: PLR2004 - packs
    if settings.max_players < TWO_PACKS_FROM:
        return one
    return (
        two
        if settings.min_players >= TWO_PACKS_FROM
        else f"{one[:-1]}; from {TWO_PACKS_FROM} players on two, shuffled together."
    )


def _hands(settings: _Settings) -> str:
    if settings["hand_size"] != "auto":
        return f"{settings['hand_size']} cards"
    sizes: dict[int, list[int]] = {}
    for players, size in settings.hand_sizes.items():
        sizes.setdefault(size, []).append(players)
    return "; ".join(
        f"{size} cards with {players[0] if len(players) == 1 else f'{players[0]} to {players[-1]}'} players"
        for size, players in sizes.items()
    )


def _turn(settings: _Settings) -> _Rules:
    yield "2.1", "A turn is: draw; then meld and lay off as you like, or not at all; then discard one card."
    yield "2.3", "Draw the top card of the stock,"
    if not settings["deep_draw"]:
        yield "2.11", "or take the newest discard. No other discard may be taken."
    else:
        yield "2.4", "or take any card of the discard pile together with every newer one."
        yield "2.5", "The deepest card taken must be used in the same turn; what came with it may be kept."
        yield (
            "2.6",
            "A card that could not be used this turn may not be taken, and nothing may strand it.",
        )
    if settings["top_discard"] == "must_use":
        yield "2.8", "That holds for the newest discard taken alone, too: it must be used."
    else:
        yield "2.8", "The newest discard taken alone may be kept."
        if settings["same_card_back"] == "forbidden":
            yield "2.9", "Kept, it may not be thrown straight back in the same turn."
        else:
            yield "2.9", "It may be thrown straight back, too."
    if settings["deepest_card_use"] == "new_meld_only":
        yield "2.10", "A card that must be used must be part of a new meld; laying it off is not enough."


def _melds(settings: _Settings) -> _Rules:
    yield "3.1", "A meld is three cards or more from your hand, laid face up."
    suits = (
        "of different suits"
        if settings["set_distinct_suits"]
        else "of any suits, the same card twice included"
    )
    four_at_most = settings["set_max"] is not None or settings["set_distinct_suits"]
    size = "three or four cards" if four_at_most else "three or more cards"
    yield "3.2", f"A set: {size} of one rank, {suits}."
    yield "3.5", "A run: cards of one suit in order, A 2 3 4 5 6 7 8 9 T J Q K, each rank once."
    yield "3.6", _ACE_IN_RUN[settings["ace_in_run"]]
    yield "3.7", "No run goes round the corner: K-A-2 is none."
    if settings["ace_in_run"] != "high":
        if settings["ace_two_king"]:
            yield "3.8", "A run may hold all thirteen cards of a suit."
        else:
            yield "3.8", "A run that holds an ace and a two never reaches the king."
    if settings["melds_per_turn"] == 1:
        yield "3.9", "One new meld a turn; lay-offs are not limited."
    yield "3.10", "Melds stay as they are laid, and only grow."


_ACE_IN_RUN: Final = {
    "both": "An ace stands below the two or above the king.",
    "low": "An ace stands below the two only.",
    "high": "An ace stands above the king only.",
}


def _lay_offs(settings: _Settings) -> _Rules:
    whose = "any meld on the table" if settings["lay_off_targets"] == "any" else "a meld of your own side"
    yield "4.1", f"Add single cards to {whose} where they fit; you need no meld of your own first."
    yield "4.2", "Where more than one meld takes the card, say which; where an ace fits both ends, say which."
    yield "4.4", "A card counts for the player who lays it, whoever owns the meld."


def _jokers(settings: _Settings) -> _Rules:
    if settings["jokers_per_pack"]:
        yield "5.1", "A joker stands for a card you name when you lay it, and is that card from then on."
        yield "5.2", "A new meld holds at least one card that is no joker."
        yield "5.3", "Nobody exchanges a joker."


def _going_out(settings: _Settings) -> _Rules:
    yield "6.1", "A discard ends the turn."
    if settings["going_out"] == "any":
        yield "6.2", "You go out with your last card: melded, laid off or discarded. The deal ends there."
    elif settings["floating"]:
        yield "6.3", "Only a discard goes out."
        yield (
            "6.4",
            "Lay all your cards and you float: the deal goes on, and you draw again on your next turn.",
        )
        yield "6.5", "With one card after floating you may keep it and end the turn without a discard."
    else:
        yield "6.3", "Only a discard goes out: keep a card to throw."


_STOCK_EMPTY: Final[Mapping[str, tuple[str, str]]] = {
    "take_or_end": ("7.1", "With no stock left, take from the discard pile or pass; a pass ends the deal."),
    "reshuffle": (
        "7.2",
        "With no stock left, whoever asks for a card has the discard pile shuffled into a new one.",
    ),
    "flip": (
        "7.3",
        "With no stock left, whoever asks for a card has the discard pile turned over, unshuffled.",
    ),
    "end_at_once": ("7.4", "The deal ends with the turn in which the last card of the stock is drawn."),
    "play_on": (
        "7.5",
        "With no stock left, play goes on without: take from the discard pile, or pass the draw.",
    ),
}


def _stock(settings: _Settings) -> _Rules:
    yield _STOCK_EMPTY[settings["stock_empty"]]
    if settings["stock_empty"] in {"reshuffle", "flip"}:
        yield "7.7", "A second renewal needs that a card was tabled since the first; otherwise the deal ends."
    elif settings["stock_empty"] == "end_at_once":
        yield "7.7", "A deal in which nothing moves any more ends as well."
    else:
        yield (
            "7.7",
            "With no stock, a whole round in which no card is tabled and no hand shrinks ends the deal.",
        )


def _calling(settings: _Settings) -> _Rules:
    if settings["call_rummy"] == "off":
        return
    yield (
        "8.1",
        'After a discard others may call "Rummy!", before the next player draws; not with two players.',
    )
    with_what = (
        "It must fit a meld on the table, or make a meld with nothing but cards taken with it."
        if settings["call_rummy"] == "table_or_pile"
        else "It must fit a meld on the table, or make a meld, cards of your hand included."
    )
    yield "8.2", f"Call any discard that you can use at once. {with_what}"
    yield "8.3", "The player who threw it may not call, nor the one who draws next."
    if settings["call_takes"] == "card_and_above":
        yield "8.4", "The caller takes the card with every newer one."
    else:
        yield "8.4", "The caller takes that card alone, and only to lay it off."
    yield "8.5", "He may table more, then discards, and play goes on at his left."


_SCORING: Final[Mapping[str, tuple[str, str]]] = {
    "table_minus_hand": (
        "9.6",
        "Score the cards you tabled less those in your hand; that can be less than nothing.",
    ),
    "winner_takes_hands": (
        "9.7",
        "Who goes out scores the cards in the others' hands; nobody scores when the stock ends it.",
    ),
    "penalty": ("9.8", "Everybody adds the cards in his own hand to his total: few points are good."),
}
_GOING_RUMMY: Final = {
    "double": "doubles the score of the deal",
    "double_bonus": "makes the bonus 50",
    "bonus_10": "adds 10 points",
}
_ACE_VALUE: Final = {
    "by_place": "An ace counts 15, but {low} at the low end of a run.",
    "always_15": "An ace counts 15 everywhere.",
    "always_1": "An ace counts 1 everywhere.",
}


def _scoring(settings: _Settings) -> _Rules:
    yield _SCORING[settings["scoring"]]
    five = settings["card_values"] == "five_point"
    if five:
        yield "9.3", "Twos to nines count 5, tens and court cards 10."
    else:
        yield "9.1", "Twos to tens count their number, jacks, queens and kings 10."
    yield "9.2", _ACE_VALUE[settings["ace_value"]].format(low=5 if five else 1)
    if settings["jokers_per_pack"]:
        yield "9.4", "A joker counts 15, on the table and in the hand."
    if settings["four_aces"]:
        yield "9.5", "Four aces that one player lays at once count 100."
    if bonus := settings["going_out_bonus"]:
        yield "9.9", f"Going out earns {bonus} points more."
    if settings["going_rummy"] != "none":
        yield (
            "9.10",
            f"Going out in one turn, with nothing tabled before, {_GOING_RUMMY[settings['going_rummy']]}.",
        )
    if settings["no_minus_at_stock_end"]:
        yield "9.11", "When the stock ends the deal, cards in hand are not counted."


def _winning(settings: _Settings) -> _Rules:
    best = "lowest" if settings["scoring"] == "penalty" else "highest"
    if settings["deals"] is None:
        yield "10.1", f"When a deal leaves a total at {settings['target']} or above, the {best} total wins."
    else:
        yield "10.2", f"After {settings['deals']} deals the {best} total wins."
    if settings["must_go_out_to_win"]:
        yield "10.4", "Only who went out on the deal can win on it, with a total at the target or above."
        return
    if settings["go_out_breaks_tie"]:
        yield "10.5", "Among two or more at the target, the one who went out on that deal wins."
    if settings["tie"] == "draw":
        yield "10.3", "A tie for the best total is a draw."
    else:
        yield "10.3", "A tie for the best total is played on, by all."


_CHAPTERS: Final = (
    ("Players and the deal", _deal),
    ("The turn", _turn),
    ("Melds", _melds),
    ("Lay-offs", _lay_offs),
    ("Jokers", _jokers),
    ("Discard and going out", _going_out),
    ("When the stock runs out", _stock),
    ("Calling rummy", _calling),
    ("Scoring", _scoring),
    ("Winning", _winning),
)
