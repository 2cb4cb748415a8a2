"""The judge of all these tests: what is not as the document has it does not pass."""

import pytest


@pytest.fixture
def game(open_table, ana):
    return open_table(
        ana, variant={"preset": "classic"}, seats=2, sandbox=True, seats_held="creator", seed="1"
    )


def with_seat(game, **members):
    first, *others = game["seats"]
    return {**game, "seats": [{**first, **members}, *others]}


SPOILED = {
    "a member nobody documented": lambda game: {**game, "stock": ["7H"]},
    "one deep inside": lambda game: with_seat(game, hand=["7H"]),
    "a code that is no card": lambda game: {**game, "you": {"hand": ["1H"]}},
    "another type": lambda game: with_seat(game, hand_count="13"),
    "a null that is none": lambda game: {**game, "seats": None},
    "a missing member": lambda game: {name: value for name, value in game.items() if name != "melds"},
    "a time that is none": lambda game: {**game, "server_time": "now"},
}


class TestTheJudge:
    def test_lets_pass_what_the_service_answers(self, contract, game):
        contract.fits({"$ref": "#/components/schemas/GameView"}, game)

    @pytest.mark.parametrize("spoiled", SPOILED.values(), ids=list(SPOILED))
    def test_lets_nothing_else_pass(self, contract, game, spoiled):
        with pytest.raises(AssertionError):
            contract.fits({"$ref": "#/components/schemas/GameView"}, spoiled(game))

    @pytest.mark.parametrize("spoiled", [{"type": "peek"}, {"operation_id": "discardCard"}, {"worth": 3}])
    def test_judges_a_member_of_a_union_by_its_tag(self, contract, client, ana, game, spoiled):
        listed = client.get(f"/v1/games/{game['id']}/legal-moves", headers=ana).json
        move = {**listed["moves"][0], **spoiled}

        with pytest.raises(AssertionError):
            contract.fits({"$ref": "#/components/schemas/LegalMoves"}, {**listed, "moves": [move]})
