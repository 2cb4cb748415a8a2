"""The rules of every preset fit one page, in a legible size, with nothing left out."""

import re

import pytest

from service.api.views.printed_sheets import preset_rule_sheet
from service.api.views.rule_book import preset_rule_book
from service.paper import rule_sheet
from service.paper.canvas import PAPERS, Canvas
from service.paper.rule_sheet import DoesNotFitError, RuleSheet, SheetChapter, SheetRule, print_rule_sheet
from service.paper.typefaces import REGULAR, characters_of
from service.rummy.presets import PRESETS

#: Below this, a preset's rules have grown too long for a page that people like to read.
COMFORTABLE = 7.0


@pytest.fixture
def drawn(monkeypatch):
    """Every text that is drawn, with its place, width and size."""
    texts = []
    draw = Canvas.text

    def record(canvas, x, y, text, *, size, font=REGULAR, align="left", **look):
        texts.append((x, y, text, size, canvas.text_width(text, size=size, font=font), align, font))
        draw(canvas, x, y, text, size=size, font=font, align=align, **look)

    monkeypatch.setattr(Canvas, "text", record)
    return texts


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_fits_one_page_whole(preset, paper, drawn):
    preset_rule_sheet.cache_clear()

    pdf = preset_rule_sheet(preset, paper)

    width, height = (595.28, 841.89) if paper == "A4" else (612, 792)
    assert len(re.findall(rb"/Type /Page\b(?!s)", pdf)) == 1
    for x, y, text, size, text_width, align, font in drawn:
        left = {"left": x, "center": x - text_width / 2, "right": x - text_width}[align]
        assert left >= 36, text
        assert left + text_width <= width - 36 + 0.1, text
        assert size < y < height - 30, text
        assert set(text) <= characters_of(font)
    whole = " ".join(text for *_, text, _, _, _, _ in drawn)
    for chapter in preset_rule_book(preset).chapters:
        assert chapter.title in whole
    numbers = {text for *_, text, _, _, _, _ in drawn}
    sentences = " ".join(text for *_, text, _, _, _, _ in drawn if not re.fullmatch(r"\d+\.\d+", text))
    for chapter in preset_rule_book(preset).chapters:
        for rule in chapter.rules:
            assert rule.rule in numbers
            assert rule.text in sentences
    sizes = {size for _, _, text, size, *_ in drawn if text.startswith("The game is")}
    assert min(sizes) >= COMFORTABLE


@pytest.mark.parametrize("paper", PAPERS)
def test_lines_do_not_overlap(paper, drawn):
    preset_rule_sheet.cache_clear()
    preset_rule_sheet("kitchen-table", paper)

    boxes = [(x, y - size * 0.7, x + width, y) for x, y, _, size, width, align, _ in drawn if align == "left"]
    for place, (left, top, right, bottom) in enumerate(boxes):
        for other_left, other_top, other_right, other_bottom in boxes[place + 1 :]:
            assert right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top


def test_rules_that_need_more_than_a_page_are_refused():
    rules = tuple(SheetRule(number="1.1", text="The cards are dealt one by one. " * 20) for _ in range(40))
    sheet = RuleSheet(title="Long", sentence="Long.", chapters=(SheetChapter(title="All", rules=rules),))

    with pytest.raises(DoesNotFitError):
        print_rule_sheet(sheet, paper="A4")
    assert rule_sheet.SMALLEST == 6.5


def test_the_same_rules_give_the_same_bytes():
    first = preset_rule_sheet("classic", "A4")
    preset_rule_sheet.cache_clear()

    assert preset_rule_sheet("classic", "A4") == first
