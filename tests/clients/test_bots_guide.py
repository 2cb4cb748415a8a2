"""openapi/BOTS.md keeps its word: every command in it is run, in order, as an author would.

Those that make clients are run by `test_generated_clients`, which plays with what they make.
"""

import json
import re

import pytest

from service.api.document import FOLDER
from tests.support import guide
from tests.support.guide import GUIDE
from tests.support.tree import ROOT


@pytest.fixture(scope="module")
def author(url, tmp_path_factory):
    """What all commands said, block by block, and the folder they were said in."""
    folder = tmp_path_factory.mktemp("author")
    (folder / "openapi").symlink_to(FOLDER)
    playing, _ = guide.blocks()
    return folder, guide.run(playing, url, folder)


class TestTheGuide:
    def test_leads_to_a_bot_that_plays(self, author):
        _, said = author
        over = json.loads(said[0])

        assert (over["status"], over["reason"]) == ("finished", "target")
        told = re.search(r"It prints how the game ended: `(.+?)`", GUIDE)[1]
        assert set(json.loads(told)) == set(over)

    def test_leads_to_a_bot_of_your_own(self, author):
        folder, said = author

        assert (folder / "mybot.py").exists()
        assert json.loads(said[2])["reason"] == "deals"

    def test_leads_to_a_measure_of_it(self, author):
        _, said = author

        assert {"mybot", "shrewd"} <= set(said[3].split())

    def test_shows_a_legal_move_as_it_is(self, author):
        _, said = author
        shown = json.loads(re.search(r"^```json\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)[1])
        version, listed = said[4].split("\n", 1)

        assert int(version) >= 1
        assert all(set(move) == set(shown) for move in json.loads(listed)["moves"])

    def test_streams_what_happens(self, author):
        _, said = author

        assert "event: snapshot\ndata: {" in said[5]

    def test_points_to_files_that_are_there(self):
        links = re.findall(r"\]\(([^)#]+)\)", GUIDE)

        assert links
        assert [link for link in links if not link.startswith("http") and not (FOLDER / link).exists()] == []

    def test_names_only_codes_of_the_document(self):
        codes = {"idempotency_in_progress", "stream_capacity", "version_conflict"}

        assert all(f"`{code}`" in GUIDE for code in codes)
        assert all(f"`{code}`:" in (FOLDER / "openapi.json").read_text() for code in codes)

    def test_is_found_from_the_readme(self):
        assert "(openapi/BOTS.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
