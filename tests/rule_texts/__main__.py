"""Prove every sentence of the rule texts, or those that contain some words or begin with a rule number.

python -m tests.rule_texts [--json] ["2.9 " | "throw it back"]
"""

import argparse
import json
import sys
from dataclasses import asdict

from tests.rule_texts.run import run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "words", nargs="*", help="only sentences that contain these words, after their number"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    asked = parser.parse_args()
    report = run(" ".join(asked.words))
    if asked.json:
        print(json.dumps(asdict(report)))
    else:
        for problem in report.problems:
            print(problem)
        print(
            f"{report.sentences} sentences, {report.proved} with a test, over {report.games} games; "
            f"{report.mutants} mutants, {report.killed} noticed; {len(report.problems)} problems"
        )
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
