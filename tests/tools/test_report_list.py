"""`rummy500 reports`: what players reported about others."""

import json

import pytest

from service.bootstrap import now_ms
from service.games.player_reports import PlayerReport, encode_report
from service.store.redis.store import RedisStore
from tests.support.servers import valkey_server
from workers import cli


@pytest.fixture
def reported(monkeypatch):
    with valkey_server() as server:
        monkeypatch.setenv("REDIS_URL", server.url)
        store = RedisStore.at(server.url)
        for number, days in enumerate((30, 1)):
            at = now_ms() - days * 86_400_000
            report = PlayerReport(
                id=f"r{number}",
                reporter="pAna",
                player="pBen",
                reason="stalling",
                at=at,
                text="Slow.",
                game_id="g00a",
            )
            store.add_report(encode_report(report), at=at)
        store.close()
        yield


def test_lists_those_of_the_last_week(reported, capsys):
    assert cli.main(["reports"]) == 0

    (line,) = capsys.readouterr().out.splitlines()
    assert line.endswith("r1 pAna reports pBen for stalling in g00a: 'Slow.'")


def test_lists_more_as_json(reported, capsys):
    assert cli.main(["reports", "--days", "60", "--json"]) == 0

    assert [json.loads(line)["id"] for line in capsys.readouterr().out.splitlines()] == ["r0", "r1"]
