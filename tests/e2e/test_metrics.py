"""One page of metrics for a whole service: API processes, worker and clock."""

import httpx
from prometheus_client.parser import text_string_to_metric_families

from tests.support.tree import wait_for


def read(url):
    answer = httpx.get(f"{url}/metrics", timeout=30)
    assert answer.status_code == 200
    return {
        (sample.name, *(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_whichever_process_is_asked_tells_for_all(url, arrive):
    before = read(url)
    ana = arrive(url, "Ana")
    for _ in range(40):
        # A connection each: both processes are asked.
        assert httpx.get(f"{url}/v1/rules/classic", timeout=30).status_code == 200
    game = ana.open(seats=3, opponents=[{"level": "steady"}] * 2)

    def over(counted):
        return counted.get(("rummy500_turn_seconds_count",), 0) > before.get(
            ("rummy500_turn_seconds_count",), 0
        )

    def mine():
        return 0 in ana.view(game)["turn"]["may_act"]

    wait_for(mine, "Ana's turn")
    assert ana.post(f"{game}/draw-stock").status_code == 201
    hand = ana.view(game)["you"]["hand"]
    assert ana.post(f"{game}/discard", {"card": hand[0]}).status_code == 201
    wait_for(mine, "Ana's next turn")
    wait_for(lambda: over(read(url)), "the worker to count")

    after = [read(url) for _ in range(8)]

    def grown(*key):
        values = [counted.get(key, 0) - before.get(key, 0) for counted in after]
        # Other games may go on, but no process reports less than the one before.
        assert values == sorted(values)
        return values[0]

    assert grown("rummy500_requests_total", "getRules", "200") == 40
    assert grown("rummy500_requests_total", "drawStock", "201") == 1
    assert grown("rummy500_jobs_queued_total", "done", "turns") >= 1
    # Ana's and both computers' at least.
    assert grown("rummy500_events_total", "card.discarded") >= 3
    assert after[0]["rummy500_jobs_waiting", "turns"] >= 0
    for secret in (ana.token.split(".")[1], ana.token.split(".")[0], game.rsplit("/", 1)[1]):
        assert secret not in httpx.get(f"{url}/metrics", timeout=30).text
