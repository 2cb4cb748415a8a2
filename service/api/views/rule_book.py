"""The rules of one variant as sentences, generated from its options.

No sentence belongs to a preset. Each belongs to a value of an option, so that the
text always agrees with what is played. The numbers are those of RULES.md, which has
the complete rules for every value.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from service.rummy.options import MAX_DEALS, MIN_SEATS, json_text
from service.rummy.presets import PRESETS, TWO_PACKS_FROM
from service.rummy.variants import Variant

Options = Mapping[str, Any]

#: Where the API serves RULES.md; the rule numbers are anchors there.
RULE_BOOK_PATH: Final = "/v1/rule-book.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule: its number in RULES.md, and its text for this variant."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A chapter of the rules."""

    title: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """All rules of one variant, in the order in which a table needs them."""

    preset: str
    title: str
    sentence: str
    options: Options
    chapters: tuple[Chapter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """The options to describe, and the hand size for each number of players allowed."""

    options: Options
    hand_sizes: Mapping[int, int]

    @property
    def min_players(self) -> int:
        return min(self.hand_sizes)

    @property
    def max_players(self) -> int:
        return max(self.hand_sizes)

    @property
    def may_repeat_cards(self) -> bool:
        """Whether a card may occur more than once (RULES 1.2)."""
        packs = self["packs"]
        return packs != 1 and (packs != "auto" or self.max_players >= TWO_PACKS_FROM)

    @property
    def two_may_call(self) -> bool:
        """Whether calls have an effect in a game for two (RULES 8.3)."""
        return Variant(name="", **self.options).call_beats_take

    def __getitem__(self, option: str) -> Any:  # noqa: ANN401 - each option has its own type
        return self.options[option]


def preset_rule_book(name: str) -> RuleBook:
    """Return the rules of a preset, for every number of players it allows."""
    preset = PRESETS[name]
    return _make_book(name, _Settings(options=preset.options, hand_sizes=preset.hand_sizes))


def variant_rule_book(variant: Variant, *, seats: int) -> RuleBook:
    """Return the rules of a game, with its overrides."""
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
    lines += [f"| `{name}` | {json_text(value)} |" for name, value in book.options.items()]
    lines += ["", f"The numbers are those of the rule book, [{RULE_BOOK_PATH}]({RULE_BOOK_PATH}).", ""]
    return "\n".join(lines)


def complete_rule_book() -> str:
    """Return RULES.md, with the number of each chapter and rule as an anchor."""
    text = (files("service.rummy") / "RULES.md").read_text(encoding="utf-8")
    return re.sub(r"^(##+) (\d+(?:\.\d+)?) ", r'\1 <a id="\2"></a>\2 ', text, flags=re.MULTILINE)


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
    yield (
        "1.1",
        f"The game is for {players} players. Seats are numbered clockwise, and play passes to the left.",
    )
    if settings["teams"] == "pairs":
        yield (
            "1.8",
            "Two teams play. Partners sit opposite each other, have a hand each, and share one total.",
        )
    yield "1.2", _packs(settings)
    if jokers := settings["jokers_per_pack"]:
        yield "1.3", f"Each pack has {jokers} joker{'s' if jokers > 1 else ''}."
    yield "1.4", f"Each player is dealt {_hands(settings)}."
    yield (
        "1.5",
        (
            "The next card, the upcard, is turned face up and starts the discard pile. The pile is spread so"
            " that every card stays visible. Its newest card is the top discard."
        ),
    )
    yield (
        "1.6",
        _FIRST_DEALER.get(
            settings["first_dealer"],
            f"Seat {settings['first_dealer']} deals first; seats are counted from 0.",
        ),
    )
    yield (
        "1.7",
        (
            "After each deal the player to the dealer's left deals next. The player to the dealer's left "
            "also takes the first turn."
        ),
    )


_FIRST_DEALER: Final = {
    "low_card": (
        "Each player draws a card; the player with the lowest card deals first. For this draw aces are low. "
        "If players tie, only they draw again."
    ),
    "high_card": (
        "Each player draws a card; the player with the highest card deals first. For this draw aces are low. "
        "If players tie, only they draw again."
    ),
    "random": "The first dealer is chosen at random.",
}


def _packs(settings: _Settings) -> str:
    one = "The game uses one pack of 52 cards."
    two = "The game uses two packs of 52 cards shuffled together, so every card occurs twice."
    three = "The game uses three packs of 52 cards shuffled together, so every card occurs three times."
    if settings["packs"] != "auto":
        return {1: one, 2: two, 3: three}[settings["packs"]]
    if settings.max_players < TWO_PACKS_FROM:
        return one
    return (
        two
        if settings.min_players >= TWO_PACKS_FROM
        else f"{one[:-1]}; with {TWO_PACKS_FROM} or more players it uses two, shuffled together."
    )


def _hands(settings: _Settings) -> str:
    if settings["hand_size"] != "auto":
        return f"{settings['hand_size']} cards"
    sizes: dict[int, list[int]] = {}
    for players, size in settings.hand_sizes.items():
        sizes.setdefault(size, []).append(players)
    if len(sizes) == 1:
        return f"{min(sizes)} cards"
    return "; ".join(
        f"{size} cards with {players[0] if len(players) == 1 else f'{players[0]} to {players[-1]}'} players"
        for size, players in sizes.items()
    )


def _turn(settings: _Settings) -> _Rules:
    yield (
        "2.1",
        (
            "A turn has three steps: draw one card or take from the discard pile; then lay melds and lay off "
            "cards, or do neither; then discard one card."
        ),
    )
    yield "2.3", "To draw, take the top card of the stock."
    must_use_top = settings["top_discard"] == "must_use"
    use = "put in a new meld" if settings["deepest_card_use"] == "new_meld_only" else "melded or laid off"
    free = settings["deepest_card_use"] == "free"
    if settings["deep_draw"]:
        yield (
            "2.4",
            "Instead of drawing, you may take a card of the discard pile together with all newer discards.",
        )
        if free:
            yield "2.10", "If you take several discards, you need not use any of them: you may keep them all."
        else:
            yield (
                "2.5",
                f"The deepest card you take must be {use} in the same turn. You may keep the other cards.",
            )
        alone = "If you take only the top discard, "
        too = "in the same turn" if free else "too"
        yield "2.8", f"{alone}it must be {use} {too}." if must_use_top else f"{alone}you may keep it."
    else:
        yield (
            "2.11",
            "Instead of drawing, you may take the top discard. No other discard may be taken.",
        )
        kept = f"It must be {use} in the same turn." if must_use_top else "You may keep it."
        yield "2.8", kept
    if not must_use_top:
        may = "may not" if settings["same_card_back"] == "forbidden" else "may even"
        yield "2.9", f"If you keep the top discard, you {may} discard it in the same turn."
    if (settings["deep_draw"] and not free) or must_use_top:
        yield "2.6", f"You may not take a card that must be {use} if that is impossible in this turn."
        if not settings["taken_card_first"]:
            yield "2.7", "Until you have done so, you may not make a move after which it would be impossible."
    if settings["deepest_card_use"] == "new_meld_only":
        yield "2.10", "Laying that card off is not enough."
    if settings["taken_card_first"]:
        yield "2.13", f"If a card you took must be {use}, do so first: lay other cards with it or after it."


def _melds(settings: _Settings) -> _Rules:
    yield "3.1", "A meld is three or more cards from your hand, laid face up on the table: a set or a run."
    distinct = settings["set_distinct_suits"]
    size = "three or more cards" if settings["set_max"] is None and not distinct else "three or four cards"
    yield "3.2", f"A set is {size} of one rank, {'all of different suits' if distinct else 'in any suits'}."
    if not distinct and settings.may_repeat_cards:
        yield "3.3", "With several packs, a set may contain several copies of a card."
    yield (
        "3.5",
        (
            "A run is three or more cards of one suit with consecutive ranks in the order A 2 3 4 5 6 7 8 "
            "9 T J Q K, each rank once."
        ),
    )
    yield "3.6", _ACE_IN_RUN[settings["ace_in_run"]]
    around = settings["ace_in_run"] == "around"
    if around:
        yield "3.7", "A run may go round the corner from king to ace to two: K-A-2 is a run."
    else:
        yield "3.7", "A run does not continue past an ace: K-A-2 is not a run."
    if around:
        yield "3.8", "A run may hold all thirteen cards of a suit."
    elif settings["ace_two_king"]:
        yield "3.8", "A run may hold all thirteen cards of a suit, with the ace at one end."
    else:
        yield "3.8", "A run that holds an ace and a two may not hold the king."
    if settings["melds_per_turn"] == 1:
        yield "3.9", "You may lay one new meld per turn. Lay-offs are not limited."
    yield "3.10", "A meld stays on the table as it was laid: cards may only be added to it."


_ACE_IN_RUN: Final = {
    "both": "In a run, an ace stands below the two or above the king.",
    "low": "In a run, an ace stands below the two only.",
    "high": "In a run, an ace stands above the king only.",
    "around": "In a run, an ace stands below the two, above the king, or between them.",
}


def _lay_offs(settings: _Settings) -> _Rules:
    anywhere = settings["lay_off_targets"] == "any"
    own = "your own melds and those of your partner" if settings["teams"] == "pairs" else "your own melds"
    yield (
        "4.1",
        f"You may lay off: add single cards to {'any meld on the table' if anywhere else own} if they fit.",
    )
    if settings["lay_off_after_meld"]:
        who = "you or your partner" if settings["teams"] == "pairs" else "you"
        yield "4.6", f"You may lay off only after {who} have laid a meld in this deal."
    elif anywhere:
        yield "4.1", "You do not need a meld of your own first."
    yield "4.2", "When you lay off a card, say which meld it joins."
    if settings["ace_in_run"] == "both" and settings["ace_two_king"]:
        yield "4.3", "If an ace fits both ends of a run, say which end."
    if settings["scoring"] == "table_minus_hand":
        yield "4.4", "A card scores for the player who lays it off, not for the owner of the meld."


def _jokers(settings: _Settings) -> _Rules:
    if settings["jokers_per_pack"]:
        yield "5.1", "A joker stands for a card that you name when you lay it, and keeps that meaning."
        yield "5.2", "A new meld must contain at least one card that is not a joker."
        yield "5.3", "A joker is never exchanged for the card it stands for."


def _going_out(settings: _Settings) -> _Rules:
    yield (
        "6.1",
        (
            "A discard ends the turn. You may discard a card that you drew or took in this turn, unless a "
            "rule above forbids it."
        ),
    )
    if settings["going_out"] == "any":
        yield "6.2", "You go out by melding, laying off or discarding your last card. The deal ends at once."
    elif settings["floating"]:
        yield "6.3", "You can go out only with a discard."
        yield (
            "6.4",
            (
                "If you lay all your cards without a discard, you float: the deal goes on, and on your next "
                "turn you draw as usual."
            ),
        )
        yield (
            "6.5",
            (
                "If you began a turn without cards and hold exactly one that you may keep, you may end the "
                "turn without a discard."
            ),
        )
    else:
        yield "6.3", "You can go out only with a discard, so keep a card for it."


_STOCK_EMPTY: Final[Mapping[str, tuple[str, str]]] = {
    "take_or_end": (
        "7.1",
        (
            "When the stock is empty, take from the discard pile or pass. A pass ends the deal. If the next "
            "player can take no card, the deal ends without a pass."
        ),
    ),
    "reshuffle": (
        "7.2",
        (
            "If the stock is empty, you may still draw: the whole discard pile is shuffled and becomes the "
            "stock."
        ),
    ),
    "flip": (
        "7.3",
        (
            "If the stock is empty, you may still draw: the whole discard pile is turned over without "
            "shuffling and becomes the stock."
        ),
    ),
    "end_at_once": ("7.4", "The deal ends with the turn in which the last card of the stock is drawn."),
    "play_on": (
        "7.5",
        (
            "When the stock is empty, play goes on without it: take from the discard pile or pass the draw, "
            "then lay and discard as usual."
        ),
    ),
}


#: Words of the texts above and what they become where the newest discard stays (RULES 7.8).
_STAYS: Final = ("the whole discard pile", "the discard pile without its newest card")


_PROGRESS: Final[Mapping[str, str]] = {
    "take_or_end": "melded, laid off or drawn from the stock",
    "reshuffle": "melded or laid off",
    "flip": "melded or laid off",
    "end_at_once": "melded, laid off or drawn from the stock",
    "play_on": "melded, laid off, drawn from the stock or discarded without a draw",
}


def _stock(settings: _Settings) -> _Rules:
    rule, text = _STOCK_EMPTY[settings["stock_empty"]]
    yield rule, text.replace(*_STAYS) if settings["upcard_stays"] else text
    if settings["upcard_stays"]:
        yield (
            "7.8",
            (
                "If the stock is empty and the discard pile has one card, take it or pass. A pass then "
                "ends the deal. If the next player cannot take it, the deal ends without a pass."
            ),
        )
    if settings["floating"] and settings["stock_empty"] != "end_at_once":
        yield "7.6", "If the stock and the discard pile are both empty at the start of a turn, the deal ends."
    # Where takes are free, a discard without a draw is no progress.
    free = settings["deepest_card_use"] == "free" and settings["stock_empty"] == "play_on"
    progress = _PROGRESS["take_or_end" if free else settings["stock_empty"]]
    yield (
        "7.7",
        (
            f"The deal also ends when no card is {progress} in three times as many"
            " turns in a row as the game has cards."
        ),
    )


def _calling(settings: _Settings) -> _Rules:
    if settings["call_rummy"] == "off" or (settings.max_players == MIN_SEATS and not settings.two_may_call):
        return
    yield (
        "8.1",
        (
            'After a discard, and before the next player draws, other players may call "Rummy!". The next '
            "player draws when all players asked have passed, or when the time for calls is over."
        ),
    )
    single = settings["call_takes"] == "single_card"
    newest = single or settings["call_reach"] == "newest"
    by_hand = settings["call_rummy"] == "any_meld" and not single
    yield "8.2", _callable(newest=newest, by_hand=by_hand)
    asked = "all of them are asked" if by_hand else "only players who can call a card are asked"
    yield "8.3", f"Everyone except the player who made the discard may call; {asked}."
    if settings.min_players == MIN_SEATS and not settings.two_may_call:
        yield "8.3", "With two players there are no calls: the other player draws next and can take the card."
    if newest:
        yield "8.4", "The caller takes that card alone."
    elif settings["call_takes"] == "needed":
        yield (
            "8.4",
            "The caller takes the card, and of the newer discards only those that the meld needs.",
        )
    else:
        yield "8.4", "The caller takes the card and all newer ones."
    yield (
        "8.5",
        (
            "The caller does not draw, may lay more cards, and then discards. Play goes on to the caller's "
            "left, so players who were skipped lose their turn."
        ),
    )
    yield "8.6", "If several players call, the first call counts."


def _callable(*, newest: bool, by_hand: bool) -> str:
    """Return the sentence that says what may be called."""
    if not newest:
        joining = "newer discards and cards from your hand" if by_hand else "newer discards alone"
        return f"You may call any discard that you can lay off at once, or meld at once with {joining}."
    or_meld = ", or meld at once with cards from your hand" if by_hand else ""
    return f"You may call the top discard if you can lay it off at once{or_meld}."


_SCORING: Final[Mapping[str, tuple[str, str]]] = {
    "table_minus_hand": (
        "9.6",
        (
            "You score the points of the cards you melded or laid off, minus the points of the cards in your "
            "hand. Scores and totals may be below zero."
        ),
    ),
    "winner_takes_hands": (
        "9.7",
        (
            "The player who goes out scores the points of the cards in the hands of all {others}. Cards on "
            "the table count for no player."
        ),
    ),
    "penalty": (
        "9.8",
        (
            "Each player adds the points of the cards in their own hand to their total. A low total is good. "
            "Cards on the table count for no player."
        ),
    ),
}
_GOING_RUMMY: Final = {
    "double": "their score for the deal is doubled",
    "double_bonus": "the bonus is 50 points",
    "bonus_10": "they score 10 points more",
}
_ACE_VALUE: Final = {
    "by_place": "An ace counts 15 points, but {low} at the low end of a run.",
    "always_15": "An ace counts 15 points everywhere.",
    "always_1": "An ace counts 1 point everywhere.",
}
_NO_PLAYER_WENT_OUT: Final = "If the deal ends and no player went out, "


def _scoring(settings: _Settings) -> _Rules:
    table_counts = settings["scoring"] == "table_minus_hand"
    rule, text = _SCORING[settings["scoring"]]
    yield rule, text.format(others="opponents" if settings["teams"] == "pairs" else "other players")
    yield rule, "Cards in the stock and in the discard pile count for no player."
    if settings["scoring"] == "winner_takes_hands":
        if settings["stock_end_score"] == "none":
            yield "9.7", f"{_NO_PLAYER_WENT_OUT}no player scores."
        elif settings["stock_end_score"] == "lowest_hand":
            yield (
                "9.7",
                (
                    f"{_NO_PLAYER_WENT_OUT}the player whose hand counts fewest points scores how much more "
                    "each opponent's hand counts. Players who share the fewest all score so."
                ),
            )
        else:
            yield (
                "9.7",
                (
                    f"{_NO_PLAYER_WENT_OUT}each player subtracts the points of the cards in their own hand "
                    "from their total."
                ),
            )
    five = settings["card_values"] == "five_point"
    if five:
        yield "9.3", "Cards from 2 to 9 count 5 points; tens, jacks, queens and kings count 10."
    else:
        yield "9.1", "Cards from 2 to 10 count their number; jacks, queens and kings count 10."
    if queen := settings["queen_of_spades"]:
        yield "9.12", f"The queen of spades counts {queen} points instead of 10."
    # The place of an ace in a run matters only where cards on the table count.
    ace = settings["ace_value"]
    in_hand = "always_15" if ace == "by_place" and not table_counts else ace
    yield "9.2", _ACE_VALUE[in_hand].format(low=5 if five else 1)
    if settings["jokers_per_pack"]:
        yield "9.4", "A joker counts 15 points, whatever it stands for."
    if settings["four_aces"] and table_counts:
        when = "at once" if settings["four_aces_laid"] == "at_once" else "at once or one after the other"
        yield "9.5", f"Four aces that one player lays in one set, {when}, count 100 points together."
    if settings["scoring"] != "penalty":
        yield from _bonuses(settings)
    if settings["no_minus_at_stock_end"] and table_counts:
        yield "9.11", f"{_NO_PLAYER_WENT_OUT}the cards in hand are not subtracted."


def _bonuses(settings: _Settings) -> _Rules:
    if bonus := settings["going_out_bonus"]:
        yield "9.9", f"The player who goes out scores a bonus of {bonus} points."
    if settings["going_rummy"] != "none":
        yield (
            "9.10",
            (
                "If a player lays their first cards of the deal and goes out in the same turn, "
                f"{_GOING_RUMMY[settings['going_rummy']]}."
            ),
        )


def _winning(settings: _Settings) -> _Rules:
    best = "lowest" if settings["scoring"] == "penalty" else "highest"
    target = settings["target"]
    if settings["must_go_out_to_win"]:
        yield from _only_going_out_wins(settings)
    elif settings["deals"] is None:
        yield (
            "10.1",
            f"When a total is {target} or more after a deal, the game is over: the {best} total wins.",
        )
    else:
        yield "10.2", f"After {settings['deals']} deals the game is over: the {best} total wins."
    if settings["target_reached"] == "at_once":
        yield (
            "10.1",
            (
                "Points are also written as cards are laid. The game is over at once when a total, with the "
                f"points on the table, reaches {target}: that total wins, and no hand is subtracted."
            ),
        )
    elif not settings["must_go_out_to_win"]:
        if settings["go_out_breaks_tie"]:
            yield (
                "10.5",
                (
                    f"If two or more totals are {target} or more, and one of them is that of the player who "
                    "went out in this deal, it wins, even if it is not the highest."
                ),
            )
        yield "10.3", f"If the best total is tied, {_tie(settings)}."
    yield (
        "10.6",
        f"After {MAX_DEALS} deals the game is over in any case: the {best} total wins, and a tie is a draw.",
    )


def _only_going_out_wins(settings: _Settings) -> _Rules:
    who = "side" if settings["teams"] == "pairs" else "player"
    yield (
        "10.4",
        (
            f"A {who} that goes out and then has a total of {settings['target']} or more wins. A {who} that "
            "does not go out cannot win with the deal, whatever its total."
        ),
    )


def _tie(settings: _Settings) -> str:
    match settings["tie"]:
        case "draw":
            return "the game is a draw"
        case "until_ahead":
            return "all players play further deals until one total is the best, whatever the target"
        case _:
            return "all players play another deal, after which the same rule applies"


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
