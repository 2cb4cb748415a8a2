"""Names on paper: every character has a glyph, in every script of the fonts, and never a box."""

import unicodedata

import pytest
import uharfbuzz
from hypothesis import given, settings
from hypothesis import strategies as st

from service.paper.canvas import Canvas
from service.paper.names import font_for, printable_names, shortened
from service.paper.typefaces import NAME_FONTS, characters_of, file_of

NAMES = {
    "NotoSans-Bold": ["Zoë", "Ελένη Παπαδοπούλου", "Анастасия", "e\u0301"],
    "NotoSansArabic-Bold": ["محمد علی", "مریم\u200cسعید"],
    "NotoSansHebrew-Bold": ["שלום עליכם"],
    "NotoSansDevanagari-Bold": ["लक्ष्मी क्षत्रिय", "नमस्ते"],
}
SHAPERS = {
    font: uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(file_of(font)))))
    for font in NAME_FONTS
}


def glyphs(text, font):
    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    uharfbuzz.shape(SHAPERS[font], buffer)
    return [glyph.codepoint for glyph in buffer.glyph_infos]


class TestSupportedScripts:
    @pytest.mark.parametrize("font,name", [(font, name) for font in NAMES for name in NAMES[font]])
    def test_are_shaped_by_their_own_font(self, font, name):
        (printed,) = printable_names([name], stand_in="Player")

        assert printed == unicodedata.normalize("NFC", name)
        assert font_for(printed) == font
        assert 0 not in glyphs(printed, font)

    def test_letters_join_in_arabic_and_form_conjuncts_in_devanagari(self):
        joined = glyphs("محمد", "NotoSansArabic-Bold")
        apart = [glyphs(letter, "NotoSansArabic-Bold")[0] for letter in "محمد"]

        assert not set(joined) >= set(apart)
        assert len(glyphs("क्ष", "NotoSansDevanagari-Bold")) < len("क्ष")


class TestOtherCharacters:
    def test_become_a_stand_in_if_no_letter_is_left(self):
        names = ["王小明", "🎉", "สมชาย", "\u0007", "\ue000", "\u0301\u0302", "Ana"]

        assert printable_names(names, stand_in="Player") == (*(f"Player {n}" for n in range(1, 7)), "Ana")

    def test_are_left_out_beside_letters(self):
        assert printable_names(["Zoë 🎉", "\u202eeve\u0000"], stand_in="Player") == ("Zoë", "eve")

    def test_names_made_equal_by_it_get_their_number(self):
        assert printable_names(["Ana 王", "Ana 李", "Ana"], stand_in="Player") == (
            "Ana (1)",
            "Ana (2)",
            "Ana",
        )

    def test_marks_do_not_pile_up(self):
        (printed,) = printable_names(["Z" + "\u0301\u0302\u0303\u0308" * 20], stand_in="Player")

        assert len(printed) <= 4

    def test_a_name_that_is_not_given_stays_empty(self):
        assert printable_names(["", " "], stand_in="Player") == ("", "")


class TestAnyText:
    @settings(max_examples=400)
    @given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=80), min_size=1, max_size=8))
    def test_has_a_glyph_for_every_character(self, names):
        known = frozenset().union(*map(characters_of, NAME_FONTS))

        for name, printed in zip(names, printable_names(names, stand_in="Player"), strict=True):
            assert bool(printed) == bool(name.strip())
            assert set(printed) <= known
            for font in NAME_FONTS:
                own = "".join(one for one in printed if one in characters_of(font))
                assert 0 not in glyphs(own, font)

    @settings(max_examples=15, deadline=None)
    @given(st.text(st.characters(exclude_categories=[]), min_size=1, max_size=300))
    def test_is_drawn_within_its_width(self, name):
        canvas = Canvas("a name", paper="A4")
        canvas.add_page()
        (printed,) = printable_names([name], stand_in="Player")

        if printed:
            with canvas._shaping(printed):
                size, shown = canvas._fitted(printed, 60, 14, 8)
                canvas._use(font_for(printed), size)
                assert canvas._pdf.get_string_width(shown) <= 60.01
            canvas.name(0, 20, printed, width=60, size=14, smallest=8)
        assert canvas.output().startswith(b"%PDF")


def test_a_letter_that_is_cut_keeps_its_marks():
    assert shortened("बिल्ली", 1) == "…"
    assert shortened("Anastasia", 3) == "Ana…"
