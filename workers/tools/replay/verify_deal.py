"""Verify that a deal was fixed before play (commit-reveal proof).

Reads an answer of getDealProof. The service showed the commitment when it dealt, and shows the seed after
the deal; from the seed anyone can compute the whole deal. This command does so by the rule in
openapi/PROOF.md alone: its first thirty lines use no code of the service, and fit any language.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator

import msgspec

from workers.errors import CannotStart
from workers.tools.replay.sources import add_source, describe, read

# --- The rule, for anyone to repeat -----------------------------------------------------------------


def words_of(seed: bytes) -> Iterator[int]:
    """Yield the 32-bit words, high byte first, of SHA-256(seed + block number), blocks from 0."""
    block = 0
    while True:
        digest = hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
        for start in range(0, 32, 4):
            yield int.from_bytes(digest[start : start + 4], "big")
        block += 1


def below(bound: int, words: Iterator[int]) -> int:
    """Return a number from 0 to bound - 1; words that would make some numbers likelier are skipped."""
    fair = 2**32 // bound * bound
    word = next(words)
    while word >= fair:
        word = next(words)
    return word % bound


def shuffled(pack: list[str], seed: bytes) -> list[str]:
    """Return the pack shuffled: from the last card down, each is swapped with one not after it."""
    cards, words = list(pack), words_of(seed)
    for here in range(len(cards) - 1, 0, -1):
        there = below(here + 1, words)
        cards[here], cards[there] = cards[there], cards[here]
    return cards


def new_pack(packs: int, jokers: int) -> list[str]:
    """Return the cards before the shuffle: clubs to spades, ace to king, jokers last."""
    one = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    return one * packs + [f"X{number}" for number in range(1, jokers + 1)]


def dealt(
    cards: list[str], *, seats: int, hand_size: int, dealer: int
) -> tuple[list[list[str]], str, list[str]]:
    """Return the hands by seat, the upcard and the stock: one card at a time from the dealer's left."""
    hands: list[list[str]] = [[] for _ in range(seats)]
    for place, card in enumerate(cards[: seats * hand_size]):
        hands[(dealer + 1 + place) % seats].append(card)
    return hands, cards[seats * hand_size], cards[seats * hand_size + 1 :]


# --- The command -----------------------------------------------------------------------------------


class Proof(msgspec.Struct):
    """An answer of getDealProof."""

    deal: int
    commitment: str
    seed: str | None
    seats: int
    dealer: int
    hand_size: int
    pack: list[str]
    position_given: bool = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    add_source(parser, "the proof, as JSON")
    parser.add_argument(
        "--commitment", metavar="HEX", help="the commitment that you noted when the cards were dealt"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(arguments: argparse.Namespace) -> int:
    """Verify the proof and print the deal; returns 0 if it holds."""
    try:
        proof = msgspec.json.decode(read(arguments.source), type=Proof)
    except msgspec.MsgspecError as error:
        raise CannotStart(f"Not a getDealProof response: {describe(error)}.") from None
    if proof.seed is None:
        raise CannotStart(f"Deal {proof.deal} is not over; its seed is shown at its end.")
    faults = list(faults_of(proof, noted=arguments.commitment))
    if arguments.json:
        print(as_json(proof, faults))
        return 1 if faults else 0
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        for line in summary(proof):
            print(line)
    return 1 if faults else 0


def faults_of(proof: Proof, *, noted: str | None = None) -> Iterator[str]:
    """Yield a sentence for each fault of a proof."""
    try:
        seed = bytes.fromhex(proof.seed or "")
    except ValueError:
        yield "The seed is not hexadecimal."
        return
    made = hashlib.sha256(seed).hexdigest()
    if made != proof.commitment.lower():
        yield f"The SHA-256 of the seed is {made}, which is not the commitment."
    if noted is not None and noted.lower() != proof.commitment.lower():
        yield "The commitment is not the one you noted: the deal was changed after it was made."
    jokers = sum(card.startswith("X") for card in proof.pack)
    if proof.pack != new_pack((len(proof.pack) - jokers) // 52, jokers):
        yield "The pack is not in the order of the rule: all cards once, clubs to spades, ace to king."
    if not 0 <= proof.dealer < proof.seats or proof.seats * proof.hand_size >= len(proof.pack):
        yield "This pack is too small for these hands, or the dealer is no seat."


def as_json(proof: Proof, faults: list[str]) -> str:
    """Return the result as JSON; a proof that holds comes with its deal."""
    document: dict[str, object] = {"holds": not faults, "deal": proof.deal, "errors": faults}
    if not faults and not proof.position_given:
        cards = shuffled(proof.pack, bytes.fromhex(proof.seed or ""))
        hands, upcard, stock = dealt(cards, seats=proof.seats, hand_size=proof.hand_size, dealer=proof.dealer)
        document |= {"shuffled": cards, "hands": hands, "upcard": upcard, "stock": stock}
    return json.dumps(document)


def summary(proof: Proof) -> Iterator[str]:
    """Yield the deal that follows from the seed, in lines for a person."""
    cards = shuffled(proof.pack, bytes.fromhex(proof.seed or ""))
    yield f"deal {proof.deal}: the seed matches the commitment"
    yield f"  commitment  {proof.commitment}"
    yield f"  seed        {proof.seed}"
    yield f"  shuffled    {' '.join(cards)}"
    if proof.position_given:
        yield "The game began in a given position: nothing was dealt from this seed."
        return
    hands, upcard, stock = dealt(cards, seats=proof.seats, hand_size=proof.hand_size, dealer=proof.dealer)
    for seat, hand in enumerate(hands):
        yield f"  seat {seat}      {' '.join(hand)}{'  (dealt)' if seat == proof.dealer else ''}"
    yield f"  upcard      {upcard}"
    yield f"  stock       {' '.join(stock)}"
