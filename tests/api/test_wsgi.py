"""The application as it is served."""

import importlib
import sys

import pytest

from service.config import SettingError
from tests.support.servers import valkey_server


@pytest.fixture
def served(monkeypatch):
    def served(**environment):
        for name in ("REDIS_URL", "QUEUE_REDIS_URL", "API_THREADS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delitem(sys.modules, "service.wsgi", raising=False)
        return importlib.import_module("service.wsgi")

    return served


def test_comes_up_without_asking_the_store(served):
    wsgi = served(REDIS_URL="redis://127.0.0.1:1/0")

    assert wsgi.app.test_client().get("/healthz").status_code == 200


def test_says_when_the_store_is_away(served):
    wsgi = served(REDIS_URL="redis://127.0.0.1:1/0")

    answer = wsgi.app.test_client().get("/readyz")
    assert (answer.status_code, answer.json["code"]) == (503, "store_unavailable")


def test_says_when_the_queue_is_away(served):
    with valkey_server() as valkey:
        wsgi = served(REDIS_URL=valkey.url, QUEUE_REDIS_URL="redis://127.0.0.1:1/0")

        answer = wsgi.app.test_client().get("/readyz")

        assert (answer.status_code, len(answer.json["missing"])) == (503, 1)
        assert "queue" in answer.json["detail"]


def test_says_that_it_is_ready(served):
    with valkey_server() as valkey:
        wsgi = served(REDIS_URL=valkey.url)

        assert wsgi.app.test_client().get("/readyz").status_code == 200


def test_needs_the_address_of_the_store(served):
    with pytest.raises(SettingError):
        served()


@pytest.mark.parametrize("threads, places", [(1, 0), (2, 1), (16, 8), (32, 16), (64, 48), (512, 496)])
def test_keeps_threads_free_for_moves(served, threads, places):
    wsgi = served(REDIS_URL="redis://127.0.0.1:1/0", API_THREADS=str(threads))

    assert wsgi.max_waiting_threads(threads) == places
