"""Notifications through all processes: to players' logs, and to their webhooks."""

import httpx
import pytest
from standardwebhooks import Webhook as Checker

from service.games.opening import NewGame
from service.games.record import Player, SeatKind
from service.store.redis.store import RedisStore
from tests.support.hooks import hooks
from tests.support.outside import Outside
from tests.support.tree import Tree, wait_for


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("told") / "data"


@pytest.fixture(scope="module")
def tree(folder):
    with Tree(folder, WEBHOOK_PRIVATE_TARGETS="true") as tree:
        assert tree.url
        yield tree
        assert tree.stop() == 0


@pytest.fixture
def guest(tree):
    def guest(name):
        answer = httpx.post(f"{tree.url}/v1/players", json={"name": name}).json()
        return answer["player"]["id"], {"Authorization": f"Bearer {answer['token']}"}

    return guest


def begin(url, ana, ben):
    """Let two sit down and begin; return the game's id."""
    made = httpx.post(f"{url}/v1/games", json={"seats": 2, "visibility": "public"}, headers=ana).json()
    path = f"{url}/v1/games/{made['id']}"
    assert httpx.post(f"{path}/seats", json={}, headers=ben).status_code == 201
    assert httpx.post(f"{path}/start", headers=ana).status_code == 200
    return made["id"]


class TestWebhooks:
    def test_a_servers_own_library_takes_what_it_is_sent_also_after_the_sender_was_killed(self, tree, guest):
        (_, ana), (_, ben) = guest("Ana"), guest("Ben")
        with hooks() as server:
            hook = {"url": server.url, "events": ["game.started"]}
            made = httpx.post(f"{tree.url}/v1/webhooks", json=hook, headers=ben)
            assert made.status_code == 201

            first = begin(tree.url, ana, ben)
            server.wait_for(1)
            tree.kill("webhooks")
            second = begin(tree.url, ana, ben)
            server.wait_for(2)

            told = [Checker(made.json()["secret"]).verify(got.body, got.headers) for got in server.got]
            assert [word["type"] for word in told] == ["game.started"] * 2
            assert [word["data"]["game_id"] for word in told] == [first, second]

            def is_noted():
                (kept,) = httpx.get(f"{tree.url}/v1/webhooks", headers=ben).json()["webhooks"]
                return kept["last_attempt"] is not None and kept["last_attempt"]["status"] == 204

            wait_for(is_noted, "the outcome to be noted")

    def test_a_private_target_is_refused_unless_that_was_asked_for(self, url):
        token = httpx.post(f"{url}/v1/players", json={"name": "Eve"}).json()["token"]
        answer = httpx.post(
            f"{url}/v1/webhooks",
            json={"url": "http://127.0.0.1:1/"},
            headers={"Authorization": f"Bearer {token}"},
        )

        assert answer.status_code == 422


class TestTheClock:
    def test_it_tells_what_a_process_did_not_live_to_tell(self, tree, folder, guest):
        """The commit is made by a process that derives nothing, as one does that dies right behind it."""
        ana, _ = guest("Ana")
        store = RedisStore.at(f"unix://{folder / 'valkey.sock'}")
        dying = Outside(store).late
        new = NewGame(preset="classic", seats=2, opponents=("steady",))
        record = dying.open(new, Player(id=ana, name="Ana", kind=SeatKind.HUMAN)).record

        def is_told():
            return any(record.id.encode() in word.body for word in store.account_events(ana, limit=99).events)

        wait_for(is_told, "the scheduler to notify")
        store.close()
