"""What a client needs to know before it plays."""

from service.jobs.levels import LEVELS
from service.rummy.cards import ORDER
from service.rummy.errors import RULE_OF_CODE
from service.rummy.options import OPTIONS
from service.rummy.presets import PRESETS
from workers.bots import registry


class TestMeta:
    def test_names_every_preset_with_every_option(self, client):
        presets = client.get("/v1/meta").json["presets"]

        assert [preset["name"] for preset in presets] == list(PRESETS)
        for preset in presets:
            assert list(preset["options"]) == list(OPTIONS)
            assert preset["sentence"]

    def test_names_every_option_with_what_it_may_be(self, client):
        options = {option["name"]: option for option in client.get("/v1/meta").json["options"]}

        assert list(options) == list(OPTIONS)
        assert options["ace_in_run"]["values"] == ["both", "low", "high", "around"]
        assert options["target"]["numbers"] == {"least": 1, "most": 100_000}

    def test_names_cards_codes_and_levels(self, client):
        meta = client.get("/v1/meta").json

        assert meta["cards"] == list(ORDER)
        assert set(RULE_OF_CODE) < {error["code"] for error in meta["errors"]}
        assert [level["name"] for level in meta["levels"]] == list(LEVELS)

    def test_names_what_a_rated_game_needs_to_count(self, client):
        assert client.get("/v1/meta").json["ratings"] == {
            "established_games": 10,
            "established_opponents": 3,
            "meetings": 3,
            "meetings_ms": 86_400_000,
        }

    def test_shows_the_time(self, client, clock):
        clock.on(1_500)

        assert client.get("/v1/meta").json["server_time"] == "2026-09-21T14:13:21.500Z"


def test_the_levels_are_those_that_a_worker_plays():
    assert set(LEVELS) == set(registry.BOT_FACTORIES)
