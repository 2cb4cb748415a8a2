"""List what players reported about others, oldest first.

Reads REDIS_URL. Reports are kept for 90 days and name ids only; getPlayer shows the player of an id.
"""

import argparse
import json
import sys
from dataclasses import asdict

from service.bootstrap import build_components, now_ms
from service.config import SettingError, Settings
from service.games.player_reports import decode_report
from service.runtime.durations import DAY_MS
from service.runtime.timestamps import rfc3339
from service.store.contract import StoreUnavailable
from workers.errors import CannotStart

_MAX_REPORTS = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of the subcommand."""
    parser.add_argument("--days", type=int, default=7, metavar="N", help="of the last N days; default: 7")
    parser.add_argument("--json", action="store_true", help="one JSON object in each line")


def run(arguments: argparse.Namespace) -> int:
    """Print the reports."""
    try:
        store = build_components(Settings.from_environment()).store
        found = store.reports(since=max(0, now_ms() - arguments.days * DAY_MS), limit=_MAX_REPORTS)
    except (SettingError, StoreUnavailable) as error:
        raise CannotStart(str(error)) from error
    for body in found:
        report = decode_report(body)
        shown = {**asdict(report), "at": rfc3339(report.at)}
        if arguments.json:
            members = ("id", "at", "reporter", "player", "reason", "text", "game_id")
            print(json.dumps({name: shown[name] for name in members}, ensure_ascii=False))
        else:
            game = f" in {report.game_id}" if report.game_id else ""
            text = f": {report.text!r}" if report.text else ""
            who = f"{report.reporter} reports {report.player} for {report.reason}"
            print(f"{shown['at']} {report.id} {who}{game}{text}")
    if not found and not arguments.json:
        print(f"No reports in the last {arguments.days} days.", file=sys.stderr)
    return 0
