"""Device links: one device of a player shows a code, another one claims it."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flask.testing import FlaskClient

MINUTE = 60_000


@pytest.fixture
def link(client, ana):
    """Make a link of Ana's and return its code."""

    def link(**body):
        answer = client.post("/v1/device-links", json=body, headers=ana)
        assert answer.status_code == 201, answer.json
        return answer.json["code"]

    return link


@pytest.fixture
def claim(client):
    def claim(code, **headers):
        return client.post("/v1/device-links/claim", json={"code": code}, headers=headers)

    return claim


def headers(claimed):
    return {"Authorization": f"Bearer {claimed.json['token']}"}


class TestALink:
    def test_lets_a_second_device_in_as_the_same_player(self, client, link, claim, ana):
        phone = claim(link(name="phone"))

        assert phone.status_code == 201
        me = client.get("/v1/me", headers=headers(phone)).json
        assert me["id"] == phone.json["player"]["id"] == client.get("/v1/me", headers=ana).json["id"]
        assert phone.json["token_info"]["name"] == "phone"
        assert phone.json["token_info"] in client.get("/v1/tokens", headers=ana).json["tokens"]

    def test_opens_once(self, link, claim):
        code = link()

        assert claim(code).status_code == 201
        assert (claim(code).status_code, claim(code).json["code"]) == (404, "not_found")

    def test_opens_for_one_of_many(self, app, link):
        code = link()

        def claim(_):
            client = FlaskClient(app, app.response_class)
            return client.post("/v1/device-links/claim", json={"code": code}).status_code

        with ThreadPoolExecutor(8) as pool:
            assert sorted(pool.map(claim, range(16))) == [201] + [404] * 15

    def test_opens_nothing_after_ten_minutes(self, link, claim, clock):
        code = link()
        clock.on(10 * MINUTE)

        assert claim(code).json["code"] == "not_found"

    @pytest.mark.parametrize(
        "typed", [str.lower, lambda code: code.replace("-", ""), lambda code: f" {code.replace('-', ' ')} "]
    )
    def test_may_be_typed_as_people_type(self, link, claim, typed):
        assert claim(typed(link())).status_code == 201

    def test_has_no_letter_that_is_read_as_a_digit(self, link, claim):
        code = next(code for code in (link() for _ in range(200)) if "0" in code and "1" in code)

        assert not set("ILOU") & set(code)
        assert claim(code.replace("0", "o").replace("1", "l", 1).replace("1", "I")).status_code == 201

    @pytest.mark.parametrize("code", ["AAAA-AAAA-AAAA", "-", "\u0661", "../../x", "\x00"])
    def test_that_was_never_created_does_not_work(self, claim, code):
        assert claim(code).json["code"] == "not_found"

    def test_is_not_kept_as_it_is_shown(self, store, link, claim):
        codes = [link(), link()]
        claim(codes[0])

        kept = repr(vars(store))

        assert not [code for code in codes if code in kept or code.replace("-", "") in kept]


class TestWhatTheDeviceMayDo:
    def test_is_what_the_link_says(self, client, link, claim):
        screen = headers(claim(link(scopes=["games:read"])))

        assert client.get("/v1/me", headers=screen).json["scopes"] == ["games:read"]
        assert client.post("/v1/device-links", json={}, headers=screen).status_code == 403

    def test_is_no_more_than_the_asking_token_may(self, client, ana):
        made = client.post("/v1/tokens", json={"scopes": ["tokens:write"]}, headers=ana)

        refused = client.post("/v1/device-links", json={"scopes": ["games:play"]}, headers=headers(made))

        assert (refused.status_code, refused.json["code"]) == (403, "insufficient_scope")
        link = client.post("/v1/device-links", json={}, headers=headers(made)).json
        claimed = client.post("/v1/device-links/claim", json={"code": link["code"]})
        assert claimed.json["token_info"]["scopes"] == ["tokens:write"]


class TestARequestSentAgain:
    def test_gets_the_same_code(self, client, store, ana):
        key = {"Idempotency-Key": "link-1", **ana}

        first, again = (client.post("/v1/device-links", json={}, headers=key) for _ in range(2))

        assert first.json == again.json
        assert first.json["code"] not in repr(vars(store))

    def test_gets_the_same_token(self, client, link, claim):
        code = link()
        key = {"Idempotency-Key": "claim-1-b66a7f1e2c"}

        first, again = claim(code, **key), claim(code, **key)

        assert first.json == again.json
        assert again.headers["Idempotency-Replayed"] == "true"
        assert client.get("/v1/me", headers=headers(again)).status_code == 200
