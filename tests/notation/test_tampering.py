"""Whatever is changed in a replay is noticed, in the line where it stands."""

import re

import pytest

from service.notation.reading import parse_replay
from service.notation.verify import verify_replay
from tests.support.replays import path_of


def faults_of(text: str) -> list[str]:
    return [f"{fault.place}: {fault.message}" for fault in verify_replay(parse_replay(text)).faults]


def line_of(text: str, part: str) -> int:
    """The number of the first line that holds the part."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if part in line)


def changed(name: str, old: str, new: str) -> tuple[str, int]:
    """The text of a game with one passage changed, and the number of its line."""
    text = path_of(name).read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1), line_of(text, old.strip().splitlines()[0])


#: What is changed, and what is said about that line.
MOVES = {
    "another card drawn": ("classic", "Cleo draws JC", "Cleo draws QD", "By the rules this line is"),
    "a hidden card in a finished deal": ("classic", "Cleo draws JC", "Cleo draws ?", "draws JC"),
    "a discard the seat does not hold": ("classic", "throws 4D", "throws KS", "card_not_in_hand"),
    "another discard the seat holds": ("classic", "throws 4D", "throws JC", "deepest_card_unusable"),
    "fewer cards taken": ("classic", "takes 4S 4D,", "takes 4D,", "deepest_card_unusable"),
    "a card that is not in the pile": ("classic", "takes 4S 4D,", "takes 4S 5D,", "this line is"),
    "more cards than the pile has": ("classic", "takes 4S 4D,", "takes 2S 3S 4S 4D,", "card_not_in_pile"),
    "a meld that is none": ("classic", "lays m1 5H 6H 7H", "lays m1 5H 6H 8S", "mixed_suits"),
    "a meld under another name": ("classic", "lays m2 4C 4D 4S", "lays m3 4C 4D 4S", "lays m2 4C 4D 4S"),
    "a run from high to low": ("classic", "lays m1 5H 6H 7H", "lays m1 7H 6H 5H", "lays m1 5H 6H 7H"),
    "a lay-off that does not fit": ("classic", "adds 8H to m1 high", "adds 8H to m2", "not_adjacent"),
    "a lay-off at the other end": ("classic", "adds 8H to m1 high", "adds 8H to m1 low", "not_adjacent"),
    "a turn of another seat": ("classic", "  2. Ana takes", "  2. Ben takes", "not_your_turn"),
    "a turn counted wrong": ("classic", "  2. Ana takes", "  3. Ana takes", "  2. Ana takes".strip()),
    "a draw left out": ("classic", "Cleo draws JC, lays", "Cleo lays", "draw_first"),
    "a second draw": ("classic", "Cleo draws JC, lays", "Cleo draws JC, draws QD, lays", "already_drawn"),
    "a turn left without a discard": ("classic", "7H, throws 4D\n", "7H\n", "not_your_turn"),
    "someone who did not go out": ("classic", "throws 9C\n", "throws 9C, goes out\n", "throws 9C$"),
    "someone who went out unsaid": ("classic", "2H, goes out\n", "2H\n", "goes out$"),
    "a joker that stands for another card": (
        "persian",
        "X1=JS QS KS AS",
        "X1=TS QS KS AS",
        "not_consecutive",
    ),
    "a pass with a stock to draw from": (
        "classic",
        "Cleo draws JC, lays",
        "Cleo passes, lays",
        "stock_not_empty",
    ),
    "a card kept by a player who does not float": ("classic", "throws 4D", "keeps the card", "option_off"),
    "a pile turned over too early": ("jokers", "draws", "turns the pile and draws", "By the rules"),
    "a call where calls are off": (
        "classic",
        "  2. Ana takes 4S 4D,",
        "  2. Ana calls 4S 4D from 0,",
        "option_off",
    ),
    "a clock that plays another turn than the forced one": (
        "classic",
        "  2. Ana takes",
        "    * the clock plays for Ana\n  2. Ana takes",
        "the forced turn",
    ),
    "a clock for a seat that has no turn": (
        "classic",
        "  2. Ana takes",
        "    * the clock plays for Ben\n  2. Ana takes",
        "not the turn of that seat",
    ),
    "a seat ready in the middle of a deal": (
        "classic",
        "  2. Ana takes",
        "    * Ben is ready\n  2. Ana takes",
        "before this one is over",
    ),
    "a call window that was not opened": (
        "classic",
        "  2. Ana takes",
        "    * Ana may call\n  2. Ana takes",
        "this line is: 2. Ana",
    ),
    "a pass without a call window": (
        "classic",
        "  2. Ana takes",
        "    * Ana lets it lie\n  2. Ana takes",
        "stock_not_empty",
    ),
}

CARDS = {
    "a hand": ("classic", "Ana:   4C 9C", "Ana:   5C 9C", "By the seed Ana's hand is 4C 9C AD 2D"),
    "the stock": ("classic", "stock: JC QD QH", "stock: QD JC QH", "By the seed the stock is JC QD QH"),
    "the upcard": ("classic", "pile:  4S", "pile:  4H", "By the seed the upcard is 4S"),
    "a hidden hand": ("classic", "Ben:   AC 7C 9D TD 8H 2S 3S", "Ben:   hidden", "still hidden"),
    "the commitment": ("classic", "Commitment: dc53", "Commitment: dc54", "not the SHA-256 of the seed"),
    "the dealer": ("classic", "Deal 2, dealt by Cleo", "Deal 2, dealt by Ana", "Cleo deals, not Ana"),
    "a card drawn for the deal": ("classic", "Ben 3H", "Ben 9H", None),
    "a draw left out": (
        "classic",
        "Ana 8S, Ben 3H, Cleo 4S",
        "Ana 8S, Ben 3H",
        "Every seat must draw a card",
    ),
}

SCORES = {
    "points on the table": ("classic", "Ben:   tabled 65", "Ben:   tabled 75", "Ben has tabled 65"),
    "points in hand": ("classic", "held 12 (7C", "held 10 (7C", r"holds 7C 2S 3S \(12\)"),
    "cards left": ("classic", "(7C 2S 3S)", "(7C 2S)", r"holds 7C 2S 3S \(12\)"),
    "the score": ("classic", "scored 53", "scored 63", "scores 53"),
    "the total": ("classic", "scored -9, total -9", "scored -9, total 9", "has -9 in all"),
    "a bonus": ("classic", "held 0, scored 72", "held 0, bonus 25, scored 72", "scores 72"),
    "who is out": ("classic", "deal 1, Ana out", "deal 1, nobody out", "Score of deal 1, Ana out"),
}

RULES = {
    "a value that the option does not have": (
        "classic",
        "Options: target 100",
        "Options: target 0",
        "target must be",
    ),
    "no such option": ("classic", "Options: target 100", "Options: goal 100", "There is no option"),
    "no such preset": ("classic", "Variant: classic", "Variant: classical", "There is no preset"),
}


class TestOneChange:
    @pytest.mark.parametrize("name", MOVES)
    def test_of_a_move(self, name):
        game, old, new, message = MOVES[name]
        text, line = changed(game, old, new)

        first = faults_of(text)[0]

        assert re.search(message, first)
        place = int(re.match(r"line (\d+): ", first)[1])
        assert place in (line, line + 1), first

    @pytest.mark.parametrize("name", CARDS)
    def test_of_cards_and_deals(self, name):
        game, old, new, message = CARDS[name]
        text, line = changed(game, old, new)

        faults = faults_of(text)

        if message is None:
            assert faults[0].startswith(f"line {line_of(text, 'Deal 1')}: Cleo deals, not Ben")
        else:
            assert any(re.search(message, fault) for fault in faults)
            assert faults[0].startswith((f"line {line}: ", f"line {line + 1}: "))

    @pytest.mark.parametrize("name", SCORES)
    def test_of_the_score(self, name):
        game, old, new, message = SCORES[name]
        text, line = changed(game, old, new)

        (first, *_) = faults_of(text)

        assert re.match(f"line {line}: .*{message}", first)

    @pytest.mark.parametrize("name", RULES)
    def test_of_the_rules(self, name):
        game, old, new, message = RULES[name]
        text, line = changed(game, old, new)

        (only,) = faults_of(text)

        assert re.match(f"line {line}: .*{message}", only)

    def test_of_the_number_of_a_deal(self):
        text, line = changed("classic", "Deal 2, dealt", "Deal 3, dealt")

        faults = faults_of(text.replace("Score of deal 2", "Score of deal 3"))

        assert faults[0] == f"line {line}: This is deal 2, not 3."

    def test_of_the_seed(self):
        text, line = changed("classic", "Seed: 67d9", "Seed: 67d8")

        (only,) = faults_of(text)

        assert only.startswith(f"line {line}: The commitment is not the SHA-256 of the seed")

    def test_of_seed_and_commitment_together_shows_in_the_cards(self):
        text, _ = changed(
            "classic", "dc532452629015b6a173a729d220a9fe5e84ec1f9f20688730c7985a5421f84d", "0" * 64
        )
        other = path_of("ace-low").read_text(encoding="utf-8")
        hashes = re.search(r"Commitment: \w+\nSeed: \w+\n", other)[0]
        text = re.sub(r"Commitment: \w+\nSeed: \w+\n", hashes, text, count=1)

        assert "By the seed Ana's hand is" in faults_of(text)[0]

    def test_of_the_result(self):
        text = path_of("classic").read_text(encoding="utf-8").replace("Ana won (target)", "Ben won (target)")

        assert faults_of(text) == ["line 9: By the rules the result is: Ana won (target)."]

    @pytest.mark.parametrize(
        "result", ["unfinished", "given up (the last player gave it up)", "a draw (tie)"]
    )
    def test_of_the_result_to_none(self, result):
        text = path_of("classic").read_text(encoding="utf-8").replace("Ana won (target)", result)

        assert "line 9: By the rules the result is: Ana won (target)." in faults_of(text)


class TestWhatIsCutOff:
    def test_a_deal_in_the_middle(self):
        text = path_of("classic").read_text(encoding="utf-8")
        cut = re.sub(r"Score of deal 1.*?\n\n", "\n", text, count=1, flags=re.DOTALL)

        assert any("A line is missing: Score of deal 1, Ana out" in fault for fault in faults_of(cut))

    def test_the_last_deal(self):
        text = path_of("classic").read_text(encoding="utf-8")
        cut = re.sub(r"\nDeal 2.*?\n\n", "\n", text, count=1, flags=re.DOTALL)

        assert faults_of(cut) == ["line 9: No deal has decided the game."]

    def test_the_last_score(self):
        text = path_of("classic").read_text(encoding="utf-8")
        cut = re.sub(r"Score of deal 2.*?\n\n", "\n", text, count=1, flags=re.DOTALL)

        assert any("A line is missing: Score of deal 2" in fault for fault in faults_of(cut))

    def test_turns_before_the_score(self):
        text = path_of("classic").read_text(encoding="utf-8")
        cut = re.sub(r" 14\. Ana takes 2C.*\n", "", text, count=1)

        assert any("The deal is not over here" in fault for fault in faults_of(cut))

    def test_half_a_turn_before_the_score(self):
        text = path_of("classic").read_text(encoding="utf-8")
        cut = text.replace(", lays m6 2C 2D 2H, goes out", "", 1)

        assert any("a turn is not finished" in fault for fault in faults_of(cut))

    def test_the_seed_of_a_deal_that_is_over(self):
        text = path_of("classic").read_text(encoding="utf-8")
        cut = re.sub(r"Seed: \w+\n", "", text, count=1)

        assert any("Deal 1 is over, and its seed is missing" in fault for fault in faults_of(cut))


class TestWhatIsAdded:
    def test_a_deal_after_the_end(self):
        text = path_of("classic").read_text(encoding="utf-8")
        more = re.search(r"Deal 2.*?\n\n", text, flags=re.DOTALL)[0].replace("eal 2", "eal 3")
        longer = text.replace("\nEnd: ", f"\n{more.replace('dealt by Cleo', 'dealt by Ana')}End: ")

        assert any("The game was over before this deal" in fault for fault in faults_of(longer))

    def test_a_line_after_the_score(self):
        text = path_of("classic").read_text(encoding="utf-8")
        longer = text.replace("\nDeal 2", " 15. Ben draws 2C\n\nDeal 2", 1)

        assert any("deal_over" in fault for fault in faults_of(longer))

    def test_a_position_in_a_game_that_is_no_sandbox(self):
        text = path_of("classic").read_text(encoding="utf-8")
        given = text.replace(
            "Deal 1, dealt by Ben", "Deal 1, dealt by Ben, from a given position", 1
        ).replace(
            "pile:  4S\n", "pile:  4S\n    totals: 0 0 0\n    turn: Cleo draw, tabled_before_turn false\n", 1
        )

        assert any("Only the first deal of a sandbox" in fault for fault in faults_of(given))
