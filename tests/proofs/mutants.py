"""Mutation testing of the rules: are the tests red when a rule is wrong?

    python -m tests.proofs.mutants [--sample 600] [--seed 500] [--minutes 40] [--module scoring] [--again]

Cosmic Ray makes the mutants (an `and` for an `or`, a boundary moved, a number changed, a condition turned
round); a seeded sample of them is tried, each in a copy of the tree, one copy a process. The tests run from
quick to slow and stop at the first that is red: the golden playthroughs, some positions before the oracle,
the rule book, the laws with a small profile. A mutant that no test notices is a survivor: it is printed, and
build/survivors.txt holds its difference.

Left alone is what rules nothing: annotations, decorators, assertions for the type checker, sentences for
players. Questions are turned round and boundaries moved; an `==` of two names does not become a `<`.
"""

import argparse
import ast
import difflib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT: Final = Path(__file__).parents[2]
BUILD: Final = ROOT / "build" / "mutants"
SURVIVORS: Final = ROOT / "build" / "survivors.txt"
RULES: Final = Path("service", "rummy")
COPIED: Final = ("service", "workers", "tests", "openapi", "pyproject.toml")

_PYTEST: Final = ("-m", "pytest", "-xq", "-p", "no:schemathesis", "-p", "no:anyio", "-p", "no:pytest_cov")
#: From quick to slow; most mutants do not live to see the second.
STAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "playthroughs": ("-m", "tests.support.playthrough"),
    "oracle": ("-m", "tests.proofs.rules_agree", "--positions", "300", "--processes", "1"),
    "rule book": (*_PYTEST, "tests/rules"),
    # The longest games are left to other times: they try one rule, and the rule book tries it too.
    "laws": (*_PYTEST, "tests/laws", "-k", "not of_one_mind and not player_who_stalls"),
}
#: A test that takes so many times as long as it did is a game that does not end.
PATIENCE: Final = 5
ORDER: Final = frozenset({"Lt", "LtE", "Gt", "GtE"})
TELLING: Final = (
    "Add_Sub",
    "Sub_Add",
    "Mul_Add",
    "FloorDiv_Mul",
    "Mod_Add",
    "BitOr_BitAnd",
    "BitAnd_BitOr",
    "LShift_RShift",
    "RShift_LShift",
)


@dataclass(frozen=True, slots=True)
class Change:
    """A change an operator could make: its n-th occurrence in a module, counted from 0."""

    path: Path
    operator: str
    occurrence: int
    line: int


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one module."""

    module: str
    operator: str
    line: int
    source: str
    mutated: str

    @property
    def name(self) -> str:
        """Where and what, in a few words."""
        return f"{self.module}:{self.line} {self.operator.removeprefix('core/')}"

    @property
    def difference(self) -> str:
        """The change as a unified difference without context."""
        lines = difflib.unified_diff(self.source.splitlines(), self.mutated.splitlines(), n=0, lineterm="")
        return "\n".join([*lines][2:])

    @property
    def told(self) -> str:
        """Name and difference."""
        return f"{self.name}\n{self.difference}\n"


# --- Making mutants -------------------------------------------------------------------------------


def operators() -> list[str]:
    """Return the operators that change what is decided.

    Of the many ways to replace an arithmetic operator one each is enough: most others
    are type errors, and too easy to notice.
    """
    return [name for name in operator_names() if _is_telling(name.removeprefix("core/"))]


def _is_telling(name: str) -> bool:
    kind, _, change = name.partition("_")
    match kind:
        case "ReplaceBinaryOperator":
            return change in TELLING
        case "ReplaceComparisonOperator":
            return change in {"Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"} or {*change.split("_")} <= ORDER
        case _:
            return kind not in {"RemoveDecorator", "VariableReplacer", "VariableInserter"}


def spared(source: str) -> list[tuple[int, int]]:
    """Return the first and last lines of what rules nothing, and the spans of annotations within lines."""
    spans = []
    for node in ast.walk(ast.parse(source)):
        quiet: list[ast.AST] = []
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            quiet += node.decorator_list
        if isinstance(node, ast.FunctionDef) and node.returns is not None:
            quiet.append(node.returns)
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            quiet.append(node.annotation)
        if isinstance(node, ast.Assert | ast.JoinedStr):
            quiet.append(node)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            quiet.append(node)
        spans += [
            (_place(one.lineno, one.col_offset), _place(one.end_lineno or 0, one.end_col_offset or 0))
            for one in quiet
            if isinstance(one, ast.expr | ast.stmt)
        ]
    return spans


def _place(line: int, column: int) -> int:
    return line * 1000 + column


def changes_of(path: Path) -> Iterator[Change]:
    """Yield every change of a module that could be made."""
    source = path.read_text(encoding="utf-8")
    nodes, quiet = [*ast_nodes(get_ast(source))], spared(source)
    for name in operators():
        operator = get_operator(name)()
        places = [place for node in nodes for place in operator.mutation_positions(node)]
        for occurrence, ((line, column), _) in enumerate(places):
            if not any(begin <= _place(line, column) < end for begin, end in quiet):
                yield Change(path, name, occurrence, line)


def sample(changes: Sequence[Change], size: int, seed: int) -> list[Mutant]:
    """Return so many mutants, evenly chosen; none twice, and none that reads as before."""
    mutants: dict[str, Mutant] = {}
    for change in random.Random(seed).sample(changes, len(changes)):
        if len(mutants) == size:
            break
        source = change.path.read_text(encoding="utf-8")
        mutated = mutate_code(source, get_operator(change.operator)(), change.occurrence)
        if mutated not in {None, source}:
            mutants.setdefault(
                mutated, Mutant(change.path.stem, change.operator, change.line, source, mutated)
            )
    return [*mutants.values()]


# --- Trying them ----------------------------------------------------------------------------------


class Copy:
    """A copy of the tree in which one mutant at a time is tried."""

    def __init__(self, number: int, python: str) -> None:
        self.root = BUILD / str(number)
        self.python = python
        self.tried = 0
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, self.root / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / name, self.root / name)

    def run(self, stage: Sequence[str], seconds: float) -> bool:
        """Tell whether a stage is green within the time."""
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(self.root),
            "HYPOTHESIS_PROFILE": "mutants",
        }
        with subprocess.Popen(
            [self.python, *stage],
            cwd=self.root,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as running:
            try:
                return running.wait(seconds) == 0
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                return False

    def killer_of(self, mutant: Mutant, patience: Sequence[float]) -> str | None:
        """Return the stage that notices the mutant, None if it survives."""
        path = self.root / RULES / f"{mutant.module}.py"
        self._write(path, mutant.mutated)
        try:
            for (name, stage), seconds in zip(STAGES.items(), patience, strict=True):
                if not self.run(stage, seconds):
                    return name
        finally:
            self._write(path, mutant.source)
        return None

    def _write(self, path: Path, text: str) -> None:
        """Write a module; its time differs from every earlier one, so that no compiled file passes for it."""
        path.write_text(text, encoding="utf-8")
        self.tried += 1
        os.utime(path, (self.tried, self.tried))


def patience_of(copy: Copy) -> list[float]:
    """Return how long each stage may take, from how long it takes unmutated; exit where it is not green."""
    patience = []
    for name, stage in STAGES.items():
        begun = time.monotonic()
        if not copy.run(stage, 600):
            sys.exit(f"Without a mutant the stage {name!r} is red already.")
        patience.append(PATIENCE * (time.monotonic() - begun) + 5)
    return patience


def try_all(mutants: Sequence[Mutant], copies: Sequence[Copy], minutes: float) -> dict[Mutant, str | None]:
    """Return who killed each mutant that was tried in the time, None for survivors."""
    until = time.monotonic() + 60 * minutes
    patience = patience_of(copies[0])
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)
    outcomes: dict[Mutant, str | None] = {}

    def attempt(mutant: Mutant) -> None:
        if time.monotonic() > until:
            return
        copy = free.get()
        try:
            outcomes[mutant] = killer = copy.killer_of(mutant, patience)
        finally:
            free.put(copy)
        verdict = f"killed by {killer}" if killer else f"SURVIVES\n{mutant.difference}"
        print(f"{len(outcomes)}/{len(mutants)} {mutant.name}: {verdict}", flush=True)

    with ThreadPoolExecutor(len(copies)) as pool:
        for done in [pool.submit(attempt, mutant) for mutant in mutants]:
            done.result()
    return outcomes


def main() -> None:
    """Sample mutants, try them, tell the share of the killed and name the survivors."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sample", type=int, default=600)
    parser.add_argument("--seed", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--module", action="append", help="only mutants of this module; may be repeated")
    parser.add_argument("--again", action="store_true", help="only the survivors of the last run")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the tests")
    asked = parser.parse_args()
    paths = [
        path for path in sorted((ROOT / RULES).glob("*.py")) if not asked.module or path.stem in asked.module
    ]
    changes = [change for path in paths for change in changes_of(path)]
    mutants = sample(changes, asked.sample, asked.seed)
    if asked.again:
        known = SURVIVORS.read_text(encoding="utf-8")
        mutants = [mutant for mutant in mutants if mutant.told in known]
    print(f"{len(mutants)} of {len(changes)} mutants, seed {asked.seed}", flush=True)
    shutil.rmtree(BUILD, ignore_errors=True)
    copies = [Copy(number, asked.python) for number in range(asked.processes)]
    outcomes = try_all(mutants, copies, asked.minutes)
    survivors = [mutant for mutant, killer in outcomes.items() if killer is None]
    SURVIVORS.write_text("\n".join(mutant.told for mutant in survivors), encoding="utf-8")
    killed = len(outcomes) - len(survivors)
    print(f"killed {killed} of {len(outcomes)} tried ({killed / max(1, len(outcomes)):.1%})")


if __name__ == "__main__":
    main()
