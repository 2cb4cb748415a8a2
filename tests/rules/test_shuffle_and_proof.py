"""RULES 11: shuffle and proof, worked out a second time from the written rule alone."""

import hashlib
import hmac

import pytest

from service.rummy.cards import in_order
from service.rummy.dealing import choose_dealer, deal_out, sandbox_key, shuffled
from service.rummy.events import DealStarted, StockRenewed
from service.rummy.presets import resolve
from tests.support.tables import cards, dealt, discard, draw_stock, lay, next_deal, pass_, table

#: Key of the game, number of the deal: seed, commitment, and the order of one pack after the shuffle.
VECTORS = {
    ("0000000000000000000000000000000000000000000000000000000000000000", 1): (
        "bf6091963ccaece82c801ac510a91a55b32337446e208c70ffbdc30cedd8fd4f",
        "b5f87ec09d5d73bff35d79fe67005312bf414a89a0fad88d8034e0d5fc429489",
        (
            "2D 4C 4D KD KC QH AS TS TH KH 2S 2H 2C 3D JD 7H TC 4S 8S 7C 8C QS 6D 5H QD 7D "
            "4H 5S JH QC JC AD 9S AH 3C 6C 3S 5C JS 5D 7S 9H 3H KS 8D 9D 6S 8H TD 6H AC 9C"
        ),
    ),
    ("0000000000000000000000000000000000000000000000000000000000000000", 2): (
        "938de0f0c4d6b51b72b73ce67a5d02ab7de6629539156317522b74117402ae13",
        "3a6b186bf6b7bcc851141dbd10588de8e1a10e56dcc6a1a4662921448405371e",
        (
            "TS QC 2S TH 9C AH 7D 6C 3S 9D 7S 4H 6D 9S 8H 3D 2C 5H KC KH 8D 7H 4D TC 5C QD "
            "5S JC 5D AC 4C 6H 8C JS JD QS AD QH KS 2D 4S 9H 7C KD AS 8S TD 3C 3H JH 2H 6S"
        ),
    ),
    ("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f", 1): (
        "936e503739d010deddc95487a4e8ded3cb5c9ebcbafe63c578fdc6433e270ecf",
        "01235ec1c78776b13c7369a47b7ce4214365fb5fc841b9ed7718d7571b514e9d",
        (
            "JH 6S AS 8S 7H KH AD QD 6C 4S AH 2C QS 9C 6D TD TC 9D 5S 9S JS 3H 5H 5C 8H QH "
            "TS 7D 2H AC 6H KS 7C 2D TH 3D QC 3C JD 8C 4D 8D 7S 5D JC 2S 3S 4C 9H KD KC 4H"
        ),
    ),
}


def pack_in_order(packs: int = 1, jokers: int = 0) -> list[str]:
    one = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    return one * packs + [f"X{number}" for number in range(1, jokers + 1)]


def mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode("ascii"), hashlib.sha256).digest()


class Stream:
    """Words of SHA-256(seed, block number), and numbers drawn from them."""

    def __init__(self, seed: bytes) -> None:
        self.seed, self.block, self.left = seed, 0, b""

    def word(self) -> int:
        if not self.left:
            self.left = hashlib.sha256(self.seed + self.block.to_bytes(8, "big")).digest()
            self.block += 1
        first, self.left = self.left[:4], self.left[4:]
        return int.from_bytes(first, "big")

    def draw(self, below: int) -> int:
        while (word := self.word()) >= 2**32 // below * below:
            pass
        return word % below


def shuffle(pack: list[str], seed: bytes) -> list[str]:
    stream, lying = Stream(seed), list(pack)
    for here in range(len(lying) - 1, 0, -1):
        there = stream.draw(here + 1)
        lying[here], lying[there] = lying[there], lying[here]
    return lying


class TestKeys:
    """RULES 11.1"""

    @pytest.mark.parametrize("game, number", VECTORS)
    def test_seed_and_commitment_of_a_deal(self, game, number):
        seed, commitment, _ = VECTORS[game, number]

        assert mac(bytes.fromhex(game), f"deal:{number}").hex() == seed
        assert hashlib.sha256(bytes.fromhex(seed)).hexdigest() == commitment

    def test_the_commitment_is_shown_at_the_deal(self):
        key = bytes(32)
        deal = dealt(key=key, first_dealer=0)
        (started,) = [event for event in deal.events if isinstance(event, DealStarted)]

        assert started.commitment == VECTORS[key.hex(), 1][1]

    def test_a_sandboxs_key_is_the_hash_of_its_seed(self):
        assert sandbox_key("ruby") == hashlib.sha256(b"ruby").digest()

    def test_one_deals_seed_opens_no_other(self):
        key = bytes(32)
        first = dealt(key=key, first_dealer=0)
        second = play_out(first).move(next_deal())

        expected = hashlib.sha256(mac(key, "deal:2")).hexdigest()
        assert [event.commitment for event in second.events if isinstance(event, DealStarted)] == [expected]


def play_out(deal):
    while not deal.over:
        deal = deal.move(draw_stock() if deal.stock else pass_())
        if not deal.over:
            deal = deal.move(discard(deal.discards()[0]))
    return deal


class TestTheShuffle:
    """RULES 11.2"""

    @pytest.mark.parametrize("game, number", VECTORS)
    def test_the_pack_of_the_table_above(self, game, number):
        seed, _, lying = VECTORS[game, number]

        assert " ".join(shuffle(pack_in_order(), bytes.fromhex(seed))) == lying
        assert " ".join(shuffled(cards(" ".join(pack_in_order())), bytes.fromhex(seed))) == lying

    @pytest.mark.parametrize(
        "seats, options, packs, jokers",
        [
            (2, {}, 1, 0),
            (5, {}, 2, 0),
            (2, {"jokers_per_pack": 2}, 1, 2),
            (6, {"jokers_per_pack": 1}, 2, 2),
        ],
    )
    def test_a_deal_is_the_shuffled_pack(self, seats, options, packs, jokers):
        for number in range(20):
            key = number.to_bytes(32, "big")
            deal = dealt(seats=seats, key=key, first_dealer=0, **options)

            lying = shuffle(pack_in_order(packs, jokers), mac(key, "deal:1"))

            handed = seats * deal.variant.hand_size
            assert list(deal.pile) == [lying[handed]]
            assert list(deal.stock) == lying[handed + 1 :]
            for seat in range(seats):
                # Seat 1 sits at the dealer's left and gets the first card.
                assert deal.hand(seat) == in_order(
                    cards(" ".join(lying[(seat - 1) % seats : handed : seats]))
                )

    def test_a_renewal_shuffles_the_pile_oldest_first(self):
        key = bytes(range(32))
        deal = table(hands=["KC", "KD"], pile="9S 2C 7S QH 4D", stock=0, stock_empty="reshuffle", key=key)
        first = deal.move(draw_stock())

        seed = mac(mac(key, "deal:1"), "deal:1:stock:1")
        expected = shuffle(["9S", "2C", "7S", "QH", "4D"], seed)

        (renewed,) = [event for event in first.events if isinstance(event, StockRenewed)]
        assert list(renewed.order) == expected

    def test_the_second_renewal_has_a_seed_of_its_own(self):
        key = bytes(range(32))
        deal = table(
            hands=["KC 5S 5H 5D", "KD"], pile="9S", stock=0, stock_empty="reshuffle", key=key, deal=3
        )
        deal = deal.move(draw_stock())
        deal = deal.move(lay("5S 5H 5D"), discard("KC"), draw_stock())

        (renewed,) = [event for event in deal.events if isinstance(event, StockRenewed)]
        assert list(renewed.order) == ["KC"]
        assert deal.game.deal.renewals == 2

    def test_a_word_past_the_last_whole_multiple_is_skipped(self):
        # Three does not divide 2^32: the one word 2^32 - 1 would favour 0, and is drawn again.
        stream = Stream(b"")
        stream.left = (2**32 - 1).to_bytes(4, "big") + (7).to_bytes(4, "big")

        assert stream.draw(3) == 1

    def test_every_place_is_as_likely_as_any_other(self):
        firsts = [shuffled(cards("AC 2C 3C 4C"), number.to_bytes(32, "big"))[0] for number in range(4000)]

        assert all(900 < firsts.count(code) < 1100 for code in cards("AC 2C 3C 4C"))


class TestTheDeal:
    """RULES 11.3"""

    def test_one_card_at_a_time_from_the_dealers_left(self):
        hands, upcard, stock = deal_out(cards("AC 2C 3C 4C 5C 6C 7C 8C 9C"), seats=3, hand_size=2, dealer=1)

        assert hands == (cards("2C 5C"), cards("3C 6C"), cards("AC 4C"))
        assert upcard == "7C"
        assert stock == cards("8C 9C")

    @pytest.mark.parametrize("way, best", [("low_card", min), ("high_card", max)])
    def test_the_draw_for_the_deal_is_shuffled_from_the_same_key(self, way, best):
        ranks = "A23456789TJQK"
        for number in range(60):
            key = number.to_bytes(32, "big")
            variant = resolve("classic", {"first_dealer": way}, seats=8)
            tied, expected, again = list(range(8)), [], 0
            while len(tied) > 1:
                lying = shuffle(pack_in_order(2), mac(key, f"dealer:{again}"))
                drawn = dict(zip(tied, lying, strict=False))
                expected += [(seat, code, again) for seat, code in drawn.items()]
                wanted = best(ranks.index(code[0]) for code in drawn.values())
                tied = [seat for seat in tied if ranks.index(drawn[seat][0]) == wanted]
                again += 1

            dealer, draws = choose_dealer(variant, 8, key)

            assert [(draw.seat, draw.card, draw.again) for draw in draws] == expected
            assert [dealer] == tied
