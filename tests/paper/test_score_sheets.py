"""Score sheets: one landscape page, names and numbers in their columns, more pages only for more deals."""

import re

import pytest

from service.paper import typefaces
from service.paper.canvas import PAPERS, Canvas
from service.paper.card_key import card_key, game_end, scoring_key
from service.paper.score_sheet import PrintedScores, print_score_sheet
from service.rummy.presets import PRESETS, resolve


@pytest.fixture
def drawn(monkeypatch):
    """Every text and name that is drawn, with its place and the width it may have."""
    texts = []
    draw_text, draw_name = Canvas.text, Canvas.name

    def record_text(canvas, x, y, text, **look):
        texts.append((x, y, text))
        draw_text(canvas, x, y, text, **look)

    def record_name(canvas, x, y, name, *, width, **look):
        texts.append((x, y, name))
        assert 0 <= x < x + width <= canvas.width - 30
        draw_name(canvas, x, y, name, width=width, **look)

    monkeypatch.setattr(Canvas, "text", record_text)
    monkeypatch.setattr(Canvas, "name", record_name)
    return texts


def pages(pdf):
    return len(re.findall(rb"/Type /Page\b(?!s)", pdf))


def scores(*players, preset="classic", overrides=None, **more):
    variant = resolve(preset, overrides or {}, seats=len(players))
    return PrintedScores(variant=variant, players=players, **more)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_an_empty_sheet_of_a_preset_is_one_landscape_page(preset, paper, drawn):
    players = PRESETS[preset].players[1]

    pdf = print_score_sheet(scores(*("",) * players, preset=preset), paper=paper)

    variant = resolve(preset, {}, seats=players)
    width, height = (841.89, 595.28) if paper == "A4" else (792, 612)
    assert pages(pdf) == 1
    assert f"[0 0 {width:g} {height:g}]".encode() in pdf.replace(b".00", b"")
    shown = {text for _, _, text in drawn}
    assert {
        PRESETS[preset].title,
        f"Cards: {card_key(variant)}",
        scoring_key(variant),
        game_end(variant),
    } <= shown
    assert all(0 < x < width and 0 < y < height - 30 for x, y, _ in drawn)


def test_a_filled_sheet_shows_scores_totals_dealers_and_the_winner(drawn):
    print_score_sheet(
        scores("Ana", "Ben", first_dealer=1, deals=((250, -15), (260, 40)), winners=(0,)), paper="A4"
    )

    texts = [text for _, _, text in drawn]
    rows = [texts[texts.index(number) + 1 :][:5] for number in ("1", "2")]
    assert rows == [["Ben", "250", "250", "\u201315", "\u201315"], ["Ana", "260", "510", "40", "25"]]
    assert texts[-2:] == ["Winner", "Ana"]


def test_teams_have_a_column_each(drawn):
    print_score_sheet(
        scores("A", "B", "C", "D", overrides={"teams": "pairs"}, teams=("Lions", "王"), winners=()),
        paper="A4",
    )

    texts = [text for _, _, text in drawn]
    assert {"Lions", "A & C", "Team 2", "B & D", "The game is a draw."} <= set(texts)
    assert texts.count("Score") == 2


@pytest.mark.parametrize("paper", PAPERS)
def test_only_deals_that_do_not_fit_need_a_further_page(paper):
    assert pages(print_score_sheet(scores("Ana", "Ben", deals=((5, -5),) * 27), paper=paper)) == 1
    assert pages(print_score_sheet(scores("Ana", "Ben", deals=((5, -5),) * 200), paper=paper)) <= 8


def test_eight_long_names_of_every_script_stay_in_their_columns(drawn):
    names = (
        "W" * 64,
        "محمد " * 12,
        "Анастасия " * 6,
        "שלום " * 12,
        "क्षत्रिय " * 7,
        "王" * 64,
        "🎉" * 64,
        "Zoë" * 20,
    )

    pdf = print_score_sheet(scores(*names, first_dealer=0, deals=((10,) * 8,)), paper="Letter")

    assert pages(pdf) == 1


def test_the_same_sheet_gives_the_same_bytes():
    sheet = scores("Ana", "محمد", first_dealer=0, deals=((10, 20),))

    assert print_score_sheet(sheet, paper="A4") == print_score_sheet(sheet, paper="A4")


class TestTheCardKey:
    def test_counts_as_play_does(self):
        variant = resolve(
            "classic", {"card_values": "five_point", "jokers_per_pack": 2, "ace_value": "always_15"}, seats=3
        )

        assert card_key(variant) == "2 to 9: 5. 10, J, Q, K: 10. Ace: 15. Joker: 15."

    def test_names_the_extras(self):
        variant = resolve("classic", {"going_out_bonus": 25, "four_aces": 100}, seats=3)

        assert card_key(variant).endswith("Four aces: 100.")
        assert scoring_key(variant).endswith("Going out: 25 more.")


def test_the_fonts_are_small_and_come_with_their_licence():
    folder = typefaces.file_of(typefaces.REGULAR).parent

    assert sum(path.stat().st_size for path in folder.iterdir()) < 5_000_000
    assert "SIL OPEN FONT LICENSE" in (folder / "OFL.txt").read_text()
