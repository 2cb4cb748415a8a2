"""Runs the tests of all sentences, with and without their mutants.

The rules are imported in forked processes only, each time again, so that a mutant is simply a module with
another text. A test that fails with the mutant, and only with it, has noticed it.
"""

import importlib
import importlib.util
import json
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
RULES: Final = ROOT / "service" / "rummy"
CHAPTERS: Final = tuple(sorted(path.stem for path in Path(__file__).parent.glob("chapter_*.py")))
#: A mutant may make a game endless; an unmutated test takes less than a second.
MAX_SECONDS: Final = 30


#: Whatever a test raises is its failure; that of pytest is no Exception.
_FAILURES: Final = (Exception, pytest.fail.Exception)


#: A mutant: its label, its module, the module's text with it, the number of its proof, and the games to play.
_Attempt = tuple[str, str, str, int, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a run found: problems by kind, each a line for people; and figures."""

    sentences: int
    proved: int
    games: int
    mutants: int
    killed: int
    problems: Sequence[str]


def run(only: str = "") -> Report:
    """Run every proof whose name contains `only`, and its mutants."""
    first = _in_fork(lambda: _run_all(only))
    if isinstance(first, str):
        return Report(sentences=0, proved=0, games=0, mutants=0, killed=0, problems=[first])
    problems, tried = list(first["problems"]), 0
    by_module: dict[str, list[_Attempt]] = {}
    for index, (name, mutants) in first["mutants"].items():
        for number, (module, old, new) in enumerate(mutants):
            tried += 1
            label = f"{name} [mutant {number + 1}, of {module}.py: {old!r} -> {new!r}]"
            source = (RULES / f"{module}.py").read_text(encoding="utf-8")
            if source.count(old) != 1:
                problems.append(f"{label}: its text occurs {source.count(old)} times, not once")
                continue
            attempt = (label, module, source.replace(old, new), int(index), first["cases"].get(index, []))
            by_module.setdefault(module, []).append(attempt)
    killed = 0
    for module, attempts in by_module.items():
        outcomes = _in_fork(lambda module=module, attempts=attempts: _run_mutants(module, attempts))
        if isinstance(outcomes, str):
            problems.append(outcomes)
            continue
        for (label, *_), outcome in zip(attempts, outcomes, strict=True):
            killed += outcome is True
            if outcome is False:
                problems.append(f"{label}: the test does not notice it")
            elif outcome is not True:
                problems.append(f"{label}: {outcome}")
    return Report(
        sentences=first["sentences"],
        proved=first["proved"],
        games=first["games"],
        mutants=tried,
        killed=killed,
        problems=problems,
    )


def _in_fork(work: Callable[[], Any]) -> Any:
    """Return what the work returns in a forked process, as JSON carries it; an exception as text."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        signal.alarm(MAX_SECONDS)
        try:
            answer = json.dumps(work())
        except BaseException:  # noqa: BLE001 - the parent reports it
            answer = json.dumps("".join(traceback.format_exc()))
        with os.fdopen(writing, "w") as pipe:
            pipe.write(answer)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    # A test that ran into the alarm did not pass: the mutant made a game endless.
    return json.loads(answer) if answer else os.WIFSIGNALED(status)


def _load_proofs() -> list[Any]:
    for chapter in CHAPTERS:
        importlib.import_module(f"tests.rule_texts.{chapter}")
    from tests.rule_texts.proofs import PROOFS

    return PROOFS


def _run_all(only: str) -> dict[str, Any]:
    """Run every proof on the rules as they are."""
    signal.alarm(0)
    proofs = _load_proofs()
    from tests.rule_texts.printed import printings

    problems: list[str] = []
    known: dict[tuple[str, str], tuple[int, dict[str, str]] | None] = {}
    covered: dict[int, set[Any]] = {}
    cases: dict[int, list[dict[str, Any]]] = {}
    for printing in printings():
        facts = _facts(printing)
        for rule, sentence in printing.sentences:
            if (rule, sentence) not in known:
                known[rule, sentence] = _proof_of(proofs, rule, sentence, problems)
            found = known[rule, sentence]
            if found is None:
                continue
            index, said = found
            new = (facts | {("said", sentence)}) - covered.setdefault(index, set())
            # A game with many options must show many values that no earlier game showed.
            if len(new) > len(printing.overrides) // 2:
                covered[index] |= new
                cases.setdefault(index, []).append(
                    {
                        "preset": printing.preset,
                        "seats": printing.seats,
                        "overrides": dict(printing.overrides),
                        "said": said,
                    }
                )
    chosen = [index for index, proof in enumerate(proofs) if only in proof.name]
    problems = [one for one in problems if only in one]
    for index in chosen:
        proof = proofs[index]
        if index not in cases:
            problems.append(f"{proof.name}: no game prints this sentence")
        if not proof.mutants:
            problems.append(f"{proof.name}: it has no mutant")
        problems += [f"{proof.name}: {one}" for one in _failures(proof, cases.get(index, []))[:3]]
    by_sentence = {found[0] for found in known.values() if found is not None}
    unproved = {rule_and_text for rule_and_text, found in known.items() if found is None}
    return {
        "sentences": len(by_sentence) + len(unproved),
        "proved": len(by_sentence),
        "games": sum(len(cases.get(index, [])) for index in chosen),
        "problems": problems,
        "cases": cases,
        "mutants": {
            index: (proofs[index].name, [(one.module, one.old, one.new) for one in proofs[index].mutants])
            for index in chosen
        },
    }


def _facts(printing: Any) -> set[Any]:
    """Return what a game shows of the options: each value, alone and with each preset and number of seats."""
    values = {(name, str(value)) for name, value in printing.overrides.items()}
    return {("preset", printing.preset), ("seats", printing.seats), *values}


def _proof_of(
    proofs: Sequence[Any], rule: str, sentence: str, problems: list[str]
) -> tuple[int, dict[str, str]] | None:
    found = [
        (index, said)
        for index, proof in enumerate(proofs)
        if (said := proof.reads(rule, sentence)) is not None
    ]
    if len(found) != 1:
        many = "has no test" if not found else f"has {len(found)} tests"
        problems.append(f"{rule} {sentence}: this sentence {many}")
        return None
    return found[0]


def _failures(proof: Any, cases: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a line for each game in which the test of a sentence fails."""
    from tests.rule_texts.proofs import Case

    failures = []
    for case in cases:
        try:
            proof.test(Case(**case))
        except _FAILURES as error:
            last = traceback.extract_tb(error.__traceback__)
            mine = next((one for one in reversed(last) if "rule_texts/chapter" in one.filename), last[-1])
            place = f"{Path(mine.filename).name}:{mine.lineno} {mine.line}"
            changed = ", ".join(f"{name}={value}" for name, value in case["overrides"].items())
            failures.append(
                f"{case['preset']}, {case['seats']} seats, {changed or 'no override'}: {place}: {error!r}"
            )
    return failures


def _run_mutants(module: str, attempts: Sequence[_Attempt]) -> list[bool | str]:
    """Run the mutants of one module, each in a fork that has imported the modules that do not need it."""
    signal.alarm(0)
    needs = _needs_of_modules()
    for other in sorted(needs):
        if other != module and module not in needs[other]:
            importlib.import_module(f"service.rummy.{other}")
    return [_in_fork(lambda one=one: _run_mutant(*one[1:])) for one in attempts]


def _needs_of_modules() -> dict[str, set[str]]:
    """Return, for each module of the rules, all others that it imports, directly or through others."""
    pattern = re.compile(r"^ *from service\.rummy\.(\w+) import", re.MULTILINE)
    needs = {path.stem: set(pattern.findall(path.read_text(encoding="utf-8"))) for path in RULES.glob("*.py")}
    del needs["__init__"]
    for _ in needs:
        needs = {name: direct.union(*(needs[one] for one in direct)) for name, direct in needs.items()}
    return needs


class _MutantFinder:
    """Imports one module of the rules with another text."""

    def __init__(self, module: str, source: str) -> None:
        self.name = f"service.rummy.{module}"
        self.path = RULES / f"{module}.py"
        self.source = source

    def find_spec(self, name: str, *_: Any) -> Any:
        if name != self.name:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(self.path))

    def create_module(self, _: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.source, str(self.path), "exec"), module.__dict__)  # noqa: S102 - the mutant


def _run_mutant(module: str, source: str, index: int, cases: Sequence[Mapping[str, Any]]) -> bool | str:
    """Return whether the test of a sentence notices a mutant; text if the mutant cannot be imported."""
    sys.meta_path.insert(0, _MutantFinder(module, source))  # type: ignore[arg-type]
    try:
        proof = _load_proofs()[index]
    except Exception as error:  # noqa: BLE001 - it is reported
        return f"the mutant cannot be imported: {error!r}"
    from tests.rule_texts.proofs import Case

    for case in cases:
        try:
            proof.test(Case(**case))
        except _FAILURES:
            return True
    return False
