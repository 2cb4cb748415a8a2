"""Every code of the rules has a title of its own, which says what is wrong."""

from service.api.rule_titles import TITLE_OF_RULE_CODE
from service.rummy.errors import RULE_OF_CODE


class TestTitles:
    def test_there_is_one_for_every_code(self):
        assert list(TITLE_OF_RULE_CODE) == list(RULE_OF_CODE)

    def test_no_two_codes_share_one(self):
        assert len(set(TITLE_OF_RULE_CODE.values())) == len(TITLE_OF_RULE_CODE)

    def test_leads_to_the_text_of_its_rule(self, client):
        book = client.get("/v1/rule-book.md").text

        for code in RULE_OF_CODE:
            meaning = client.get(f"/problems/{code}").json
            anchor = meaning["rule_path"].partition("#")[2]
            assert meaning["title"] == TITLE_OF_RULE_CODE[code]
            assert f'<a id="{anchor}"></a>' in book
