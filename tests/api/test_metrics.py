"""The metrics of the service."""

from dataclasses import replace

import pytest
from prometheus_client import REGISTRY
from prometheus_client.parser import text_string_to_metric_families

from service.api import services
from service.api.rate_limiter import Limiter
from service.store.contract import StoreUnavailable


def read(answer):
    """Return every sample of a page, by name and labels."""
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


@pytest.fixture
def grown(client):
    """Return by how much samples have grown since the test began; they belong to the whole process."""
    before = read(client.get("/metrics"))

    def grown(name, **labels):
        key = (name, *sorted(labels.items()))
        return read(client.get("/metrics")).get(key, 0) - before.get(key, 0)

    return grown


class TestCounting:
    def test_requests_by_operation_and_status(self, client, ana, grown):
        client.get("/v1/me", headers=ana)
        client.get("/v1/me", headers=ana)
        client.get("/v1/me")

        assert grown("rummy500_requests_total", operation="getMe", status="200") == 2
        assert grown("rummy500_requests_total", operation="getMe", status="401") == 1
        assert grown("rummy500_request_seconds_count", operation="getMe") == 3

    def test_what_is_no_operation_has_one_name_whatever_its_path_says(self, client, ana, grown):
        token = ana["Authorization"].split()[1]
        for path in ("/nowhere", f"/{token}", f"/v1/{token}"):
            client.get(path)

        assert grown("rummy500_requests_total", operation="other", status="404") == 3
        assert token not in client.get("/metrics").text

    def test_bugs_too(self, client, store, ana, grown, monkeypatch):
        monkeypatch.setattr(store, "tokens_of", lambda _: 1 / 0)
        client.get("/v1/tokens", headers=ana)

        assert grown("rummy500_requests_total", operation="listTokens", status="500") == 1

    def test_moves_by_type_and_commits(self, client, ana, open_table, grown):
        game = open_table(ana, sandbox=True, seed="1", seats_held="creator")
        path = f"/v1/games/{game['id']}"
        client.post(f"{path}/draw-stock", headers=ana)
        client.post(f"{path}/draw-stock", headers=ana)

        assert grown("rummy500_events_total", type="stock.drawn") == 1
        assert grown("rummy500_events_total", type="game.started") == 1
        assert grown("rummy500_commits_total", outcome="done") == 2

    def test_conflicts(self, client, table, ana, open_table, grown, monkeypatch):
        game = open_table(ana, sandbox=True, seed="1", seats_held="creator")
        path = f"/v1/games/{game['id']}"
        load = table.get

        def overtaken(game_id):
            record = load(game_id)
            monkeypatch.undo()
            client.post(f"{path}/draw-stock", headers=ana)
            return record

        monkeypatch.setattr(table, "get", overtaken)
        assert client.post(f"{path}/draw-stock", headers=ana).status_code == 412

        assert grown("rummy500_commits_total", outcome="conflict") == 1

    def test_a_long_poll_is_no_slow_response(self, client, ana, open_table, grown):
        game = open_table(ana, seats=2)
        client.get(
            f"/v1/games/{game['id']}?wait_ms=1", headers={**ana, "If-None-Match": f'"{game["version"]}"'}
        )

        assert grown("rummy500_requests_total", operation="getGame", status="304") == 1
        assert grown("rummy500_request_seconds_count", operation="getGame") == 0
        assert grown("rummy500_waiting_requests") == 0

    def test_streams_that_are_open(self, client, streams, ana, open_table, grown):
        game = open_table(ana, seats=2)
        with client.get(f"/v1/games/{game['id']}/stream", headers=ana) as stream:
            assert stream.status_code == 200
            assert grown("rummy500_streams", kind="game") == streams.count == 1

        assert grown("rummy500_streams", kind="game") == streams.count == 0

    def test_refusals_by_limit(self, app, client, given, store, clock, ana, grown):
        limiter = Limiter(counts=store, now=clock, factor=0.0001)
        services.init_app(app, replace(given, limiter=limiter))
        refused = [client.get("/v1/me", headers=ana).json.get("policy") for _ in range(6)]

        assert refused[:2] == [None, "reading"]
        for policy in ("reading", "address"):
            assert grown("rummy500_rate_limited_total", policy=policy) == refused.count(policy) > 0

    def test_the_queue(self, app, client, given):
        services.init_app(app, replace(given, jobs_waiting=lambda: {"turns": 7}))

        assert read(client.get("/metrics"))["rummy500_jobs_waiting", ("queue", "turns")] == 7


class TestThePage:
    def test_needs_no_store(self, client, store, monkeypatch):
        def away(*_args, **_options):
            raise StoreUnavailable("away")

        for name in ("load", "player_by_token", "ping"):
            monkeypatch.setattr(store, name, away)

        assert client.get("/metrics").status_code == 200

    def test_is_there_with_the_token_only(self, app, client, given, ana):
        services.init_app(app, replace(given, metrics_token="prometheus-knows"))

        for headers in ({}, ana, {"Authorization": "Bearer \u00e9"}, {"Authorization": "Bearer prometheus"}):
            hidden = client.get("/metrics", headers=headers)
            assert hidden.status_code == 404
            assert {**hidden.json, "request_id": "", "instance": ""} == {
                **client.get("/nowhere").json,
                "request_id": "",
                "instance": "",
            }
        assert read(client.get("/metrics", headers={"Authorization": "Bearer prometheus-knows"}))

    def test_is_no_part_of_the_document(self, contract):
        assert "/metrics" not in contract.document["paths"]

    def test_is_never_asked_too_often(self, app, client, given, store, clock):
        services.init_app(app, replace(given, limiter=Limiter(counts=store, now=clock, factor=0.0001)))

        assert {client.get("/metrics").status_code for _ in range(20)} == {200}

    def test_has_few_labels_and_all_of_them_known(self, client, ana, open_table):
        game = open_table(ana, sandbox=True, seed="1", seats_held="creator")
        client.get(f"/v1/games/{game['id']}", headers=ana)

        names = {name for family in REGISTRY.collect() for sample in family.samples for name in sample.labels}

        assert names - {"implementation", "major", "minor", "patchlevel", "version", "generation"} <= {
            *("operation", "status", "type", "outcome", "policy", "kind", "queue", "le")
        }
