"""What is large is sent with gzip to whoever accepts it, and says the same."""

import gzip
import json

import pytest

PACKED = {"Accept-Encoding": "gzip, deflate, br"}
LARGE = (
    "/v1/openapi.json",
    "/v1/meta",
    "/v1/rules/classic",
    "/v1/rules/classic.md",
    "/v1/rule-book.md",
    "/docs/bots",
)


@pytest.fixture
def view(client, open_table, ana, ben):
    """The path of a game that was dealt."""
    game = open_table(ana, seats=2)
    client.post(f"/v1/games/{game['id']}/seats", json={"invite_code": game["invite_code"]}, headers=ben)
    client.post(f"/v1/games/{game['id']}/start", headers=ana)
    return f"/v1/games/{game['id']}?include=legal_moves"


class TestALargeResponse:
    @pytest.mark.parametrize("path", LARGE)
    def test_is_packed_and_says_the_same(self, client, path):
        plain, packed = client.get(path), client.get(path, headers=PACKED)

        assert packed.headers["Content-Encoding"] == "gzip"
        assert "Accept-Encoding" in packed.headers["Vary"]
        assert "Accept-Encoding" in plain.headers["Vary"]
        assert gzip.decompress(packed.data) == plain.data
        assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 2

    def test_of_a_game_keeps_its_version_as_tag(self, client, view, ana):
        plain, packed = client.get(view, headers=ana), client.get(view, headers={**ana, **PACKED})

        assert packed.headers["ETag"] == plain.headers["ETag"] == f'"{plain.json["version"]}"'
        assert json.loads(gzip.decompress(packed.data))["you"] == plain.json["you"]

    @pytest.mark.parametrize("accepted", ["identity", "br", "gzip;q=0", ""])
    def test_is_plain_for_a_client_that_does_not_accept_gzip(self, client, accepted):
        answer = client.get("/v1/meta", headers={"Accept-Encoding": accepted})

        assert "Content-Encoding" not in answer.headers
        assert answer.json["presets"]

    def test_has_the_same_headers_for_head(self, client):
        asked, read = client.head("/v1/meta", headers=PACKED), client.get("/v1/meta", headers=PACKED)

        assert asked.headers["Content-Length"] == read.headers["Content-Length"]
        assert asked.data == b""


class TestASmallResponse:
    def test_is_plain(self, client):
        answer = client.get("/healthz", headers=PACKED)

        assert "Content-Encoding" not in answer.headers


class TestAStream:
    def test_is_never_packed(self, client, view, ana):
        path = view.split("?")[0]

        with client.get(f"{path}/stream", headers={**ana, **PACKED}) as answer:
            assert "Content-Encoding" not in answer.headers
            assert next(iter(answer.response)).startswith(b"retry:")


class TestWhatSeldomChanges:
    @pytest.mark.parametrize("path", LARGE)
    def test_may_be_kept_and_is_not_sent_again(self, client, clock, path):
        first = client.get(path)
        clock.on(90_000)

        again = client.get(path, headers={"If-None-Match": first.headers["ETag"]})

        assert first.headers["Cache-Control"].startswith("public, max-age=")
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]

    @pytest.mark.parametrize("path", LARGE)
    def test_is_sent_to_a_client_that_has_another(self, client, path):
        assert client.get(path, headers={"If-None-Match": '"another"'}).status_code == 200
