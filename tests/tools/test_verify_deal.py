"""`rummy500 verify-deal` and the program in PROOF.md work out a deal from its seed alone."""

import hashlib
import json
import re

import pytest

from service.api.document import FOLDER
from service.rummy import dealing
from service.rummy.cards import full_pack
from workers.cli import main
from workers.tools.replay import verify_deal

DOCUMENT = (FOLDER / "PROOF.md").read_text(encoding="utf-8")
CODE = DOCUMENT.partition("```python\n")[2].partition("```")[0]
VECTOR = DOCUMENT.rpartition("```\nkey ")[2]


def proof_of(seed: bytes, **members):
    return {
        "deal": 1,
        "commitment": hashlib.sha256(seed).hexdigest(),
        "seed": seed.hex(),
        "seats": 2,
        "dealer": 0,
        "hand_size": 13,
        "position_given": False,
        "pack": list(full_pack(packs=1, jokers_per_pack=0)),
        **members,
    }


@pytest.fixture
def vector():
    """The proof of the test vector that the document gives."""
    return proof_of(bytes.fromhex(re.search(r"seed +(\w+)", VECTOR)[1]))


@pytest.fixture
def checked(tmp_path, capsys):
    """Check a proof; answers the exit status and what was said."""

    def checked(proof, *options):
        path = tmp_path / "proof.json"
        path.write_text(proof if isinstance(proof, str) else json.dumps(proof))
        status = main(["verify-deal", str(path), *options])
        said = capsys.readouterr()
        return status, said.out or said.err

    return checked


class TestTheDocument:
    def test_its_program_agrees_with_its_vector(self, vector):
        names = {}
        exec(CODE, names)  # noqa: S102 - the program that the document prints
        hands, upcard, stock = names["check"](vector)

        assert vector["commitment"] == re.search(r"commitment +(\w+)", VECTOR)[1]
        assert f"seat 1 gets `{' '.join(hands[1])}`" in VECTOR
        assert f"`{' '.join(hands[0])}`" in VECTOR
        assert f"the upcard is `{upcard}`, and `{stock[0]}` is drawn first" in VECTOR

    def test_its_seed_is_that_of_the_key(self, vector):
        assert dealing.deal_seed(bytes(32), 1).hex() == vector["seed"]


class TestTheRule:
    @pytest.mark.parametrize("number", range(20))
    def test_the_checker_deals_as_the_rules_do(self, number):
        seed = hashlib.sha256(bytes([number])).digest()
        packs, jokers, seats = 1 + number % 2, number % 3, 2 + number % 7
        pack = verify_deal.new_pack(packs, packs * jokers)
        assert tuple(pack) == full_pack(packs=packs, jokers_per_pack=jokers)

        cards = verify_deal.shuffled(pack, seed)
        hands, upcard, stock = verify_deal.dealt(cards, seats=seats, hand_size=5, dealer=number % seats)

        lying = dealing.shuffled(full_pack(packs=packs, jokers_per_pack=jokers), seed)
        true = dealing.deal_out(lying, seats=seats, hand_size=5, dealer=number % seats)
        assert (tuple(map(tuple, hands)), upcard, tuple(stock)) == true


class TestTheCommand:
    def test_shows_the_shuffled_pack_and_the_hands(self, checked, vector):
        status, said = checked(vector)

        assert status == 0
        assert "  shuffled    2D 4C 4D KD KC QH AS TS" in said
        assert "  seat 0      4C KD QH TS KH 2H 3D 7H 4S 7C QS 5H 7D  (dealt)\n" in said
        assert "  seat 1      2D 4D KC AS TH 2S 2C JD TC 8S 8C 6D QD\n" in said
        assert "  upcard      4H\n" in said

    def test_json_has_the_deal_and_the_errors(self, checked, vector):
        status, said = checked(vector, "--json")
        proof = json.loads(said)
        assert (status, proof["holds"], proof["errors"]) == (0, True, [])
        assert (proof["hands"][1][:3], proof["upcard"]) == (["2D", "4D", "KC"], "4H")

        status, said = checked({**vector, "seed": "11" * 32}, "--json")
        proof = json.loads(said)
        assert (status, proof["holds"], "hands" in proof) == (1, False, False)
        assert "not the commitment" in proof["errors"][0]

    def test_takes_the_commitment_that_was_noted(self, checked, vector):
        assert checked(vector, "--commitment", vector["commitment"].upper())[0] == 0

        status, said = checked(vector, "--commitment", "0" * 64)
        assert (status, said) == (
            1,
            "The commitment is not the one you noted: the deal was changed after it was made.\n",
        )

    def test_another_seed_is_noticed(self, checked, vector):
        status, said = checked({**vector, "seed": "11" * 32})

        assert status == 1
        assert "which is not the commitment" in said

    @pytest.mark.parametrize(
        "members, message",
        [
            ({"seed": "xy"}, "hexadecimal"),
            ({"pack": ["KS", "AC"]}, "The pack is not in the order of the rule"),
            ({"pack": list(reversed(full_pack(packs=1, jokers_per_pack=0)))}, "order of the rule"),
            ({"dealer": 2}, "too small for these hands"),
            ({"hand_size": 26}, "too small for these hands"),
        ],
    )
    def test_what_could_not_have_been_is_noticed(self, checked, vector, members, message):
        status, said = checked({**vector, **members})

        assert status == 1
        assert message in said

    def test_a_deal_that_runs_has_nothing_to_check(self, checked, vector):
        status, said = checked({**vector, "seed": None})

        assert status == 1
        assert said == "rummy500 verify-deal: Deal 1 is not over; its seed is shown at its end.\n"

    def test_a_position_was_dealt_from_no_seed(self, checked, vector):
        status, said = checked({**vector, "position_given": True})

        assert status == 0
        assert said.endswith("nothing was dealt from this seed.\n")

    @pytest.mark.parametrize("text", ["{}", "[]", "no"])
    def test_what_is_no_proof_is_refused(self, checked, text):
        status, said = checked(text)

        assert status == 1
        assert said.startswith("rummy500 verify-deal: Not")
