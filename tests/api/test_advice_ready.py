"""The end of a hint, told in the stream of the player who asked and nowhere else."""

import pytest

from service.streams.connections import Connections
from tests.support.frames import Frames


@pytest.fixture
def streams(clock, store):
    streams = Connections(store=store, now=clock, slots=20)
    yield streams
    streams.close()


@pytest.fixture
def path(client, open_table, ana, ben):
    """A game of Ana and Ben that anyone may watch."""
    game = open_table(ana, seats=2, visibility="public", spectators="public")
    path = f"/v1/games/{game['id']}"
    client.post(f"{path}/seats", headers=ben)
    client.post(f"{path}/start", headers=ana)
    return path


@pytest.fixture
def asker(client, path, ana, ben):
    """The player whose turn it is, and the other one."""
    game = client.get(path, headers=ana).json
    mine = game["viewer"]["seat"] == game["turn"]["seat"]
    return (ana, ben) if mine else (ben, ana)


def frames_of(client, path, headers, streams, request_hint):
    with client.get(f"{path}/stream", headers=headers) as answer:
        frames = Frames(answer.response)
        next(frames)
        job = request_hint()
        streams.broker.close()
        return job, list(frames.until("stream.closing"))


@pytest.fixture
def request_hint(client, path, asker):
    def request_hint():
        asked = client.post(f"{path}/hints", headers=asker[0])
        assert asked.status_code == 202, asked.json
        return asked.json

    return request_hint


class TestTheEndOfAHint:
    def test_reaches_the_player_who_asked(self, client, path, asker, streams, request_hint):
        version = client.get(path, headers=asker[0]).json["version"]

        job, frames = frames_of(client, path, asker[0], streams, request_hint)

        (ready,) = (frame for frame in frames if frame.type == "advice.ready")
        assert ready.id is None
        assert (ready.data["job_id"], ready.data["kind"], ready.data["status"]) == (job["id"], "hint", "done")
        assert client.get(path, headers=asker[0]).json["version"] == version
        assert client.get(f"/v1/jobs/{job['id']}", headers=asker[0]).json["status"] == "done"

    def test_does_not_reach_the_other_seat(self, client, path, asker, streams, request_hint):
        _, frames = frames_of(client, path, asker[1], streams, request_hint)

        assert "advice.ready" not in {frame.type for frame in frames}

    def test_does_not_reach_spectators(self, client, settle, path, streams, request_hint):
        _, frames = frames_of(client, path, settle("Cal"), streams, request_hint)

        assert "advice.ready" not in {frame.type for frame in frames}
