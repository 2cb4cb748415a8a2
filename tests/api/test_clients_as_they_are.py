"""Unusual requests of honest clients, which no specification forbids."""

from io import BytesIO

import pytest

from service.api.requests import MAX_BODY_BYTES


class TestNothingToSend:
    """A library may send a media type without a body, `curl -d ''` does."""

    MEDIA_TYPES = ("application/json", "application/x-www-form-urlencoded", "text/plain")

    @pytest.fixture
    def path(self, sandbox, ana):
        return f"/v1/games/{sandbox(ana, ['7S 7C KD', '4H 9C 5D'])['id']}"

    @pytest.mark.parametrize("media_type", MEDIA_TYPES)
    def test_where_nothing_needs_to_be_said_it_is_enough(self, client, path, ana, media_type):
        drawn = client.post(f"{path}/draw-stock", data=b"", content_type=media_type, headers=ana)
        opened = client.post("/v1/games", data=b"", content_type=media_type, headers=ana)

        assert (drawn.status_code, opened.status_code) == (201, 201)

    def test_is_an_error_where_members_are_required(self, client, path, ana):
        without = client.post(f"{path}/take-discard", headers=ana)
        with_type = client.post(
            f"{path}/take-discard", data=b"", content_type="application/json", headers=ana
        )

        assert (without.status_code, without.json["errors"][0]["field"]) == (422, "card")
        assert (with_type.status_code, with_type.json["code"]) == (400, "malformed_json")

    def test_a_body_of_another_kind_is_still_refused(self, client, path, ana):
        answer = client.post(
            f"{path}/draw-stock", data=b"a=1", content_type="application/x-www-form-urlencoded", headers=ana
        )

        assert answer.status_code == 415


class TestTooMuchToSay:
    """A body that is refused unread would block the next request on its connection."""

    @pytest.mark.parametrize("token", [True, False], ids=["too large", "no token"])
    def test_it_is_read_to_its_end(self, client, ana, token):
        body = BytesIO(b" " * (MAX_BODY_BYTES * 20))

        answer = client.post(
            "/v1/games",
            input_stream=body,
            content_length=MAX_BODY_BYTES * 20,
            content_type="application/json",
            headers=ana if token else {},
        )

        assert answer.status_code == (413 if token else 401)
        assert body.read() == b""

    def test_also_without_a_content_length(self, client, ana):
        body = BytesIO(b" " * (MAX_BODY_BYTES * 20))

        answer = client.post(
            "/v1/games",
            input_stream=body,
            content_type="application/json",
            headers={**ana, "Transfer-Encoding": "chunked"},
            environ_overrides={"wsgi.input_terminated": True},
        )

        assert answer.status_code == 413
        assert body.read() == b""

    def test_but_not_for_ever(self, client, ana):
        body = BytesIO(b" " * (MAX_BODY_BYTES * 1000))

        answer = client.post(
            "/v1/games",
            input_stream=body,
            content_length=MAX_BODY_BYTES * 1000,
            content_type="application/json",
            headers=ana,
        )

        assert answer.status_code == 413
        assert body.read(1) != b""


class TestPositionsForNobody:
    @pytest.mark.parametrize("hands", [[], [["7S"]], [[]] * 9])
    def test_the_number_of_hands_is_reported(self, client, ana, hands):
        answer = client.post(
            "/v1/games",
            json={"sandbox": True, "seats_held": "creator", "position": {"hands": hands}},
            headers=ana,
        )

        assert (answer.status_code, answer.json["code"]) == (422, "validation_failed")
        assert answer.json["errors"] == [
            {"field": "position.hands", "message": "Send an array of 2 to 8 entries."}
        ]


class TestNamesOfTheWorld:
    @pytest.mark.parametrize(
        "name",
        [
            "Zo\u00eb",
            "\u674e\u96f7",
            "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627",
            "\U0001f469\u200d\U0001f680",
            "O'Neil & Co. <3",
        ],
    )
    def test_are_kept_as_they_are_spelt(self, client, name):
        assert client.post("/v1/players", json={"name": name}).json["player"]["name"] == name

    @pytest.mark.parametrize("name", ["\u200d", "\u200b", "\u202eevil", "a\tb", "\x7f", "\u2028"])
    def test_are_refused_with_characters_that_cannot_be_seen(self, client, name):
        assert client.post("/v1/players", json={"name": name}).status_code == 422
