"""Recovery codes: a player who lost every device gets in again with what they wrote down."""

import pytest

from service.api.typed_codes import has_valid_check, new_checked_code

DAY = 24 * 60 * 60 * 1000


@pytest.fixture
def create(client, ana):
    """Create a recovery code of Ana's and return it."""

    def create(headers=ana):
        made = client.post("/v1/me/recovery-code", json={}, headers=headers)
        assert made.status_code == 201, made.json
        return made.json["recovery_code"]

    return create


@pytest.fixture
def claim(client):
    def claim(code, *, key=None, **body):
        headers = {} if key is None else {"Idempotency-Key": key}
        return client.post("/v1/recovery-codes/claim", json={"code": code, **body}, headers=headers)

    return claim


def headers(claimed):
    return {"Authorization": f"Bearer {claimed.json['token']}"}


def status_of(client, headers):
    return client.get("/v1/me", headers=headers).status_code


class TestARecoveryCode:
    def test_lets_its_player_in_on_a_new_device(self, client, ana, create, claim):
        phone = claim(create(), name="new phone")

        assert phone.status_code == 201
        me = client.get("/v1/me", headers=headers(phone)).json
        assert me["id"] == phone.json["player"]["id"] == client.get("/v1/me", headers=ana).json["id"]
        assert me["scopes"] == ["games:read", "games:play", "tokens:write", "webhooks:write"]
        assert phone.json["token_info"]["name"] == "new phone"

    def test_shows_when_it_was_created(self, client, ana, create):
        assert client.get("/v1/me", headers=ana).json["recovery_code_created_at"] is None

        create()

        me = client.get("/v1/me", headers=ana).json
        assert me["recovery_code_created_at"] == me["created_at"]

    def test_works_until_it_is_replaced(self, create, claim):
        code = create()
        assert [claim(code).status_code for _ in range(2)] == [201, 201]

        newer = create()

        assert (claim(code).status_code, claim(code).json["code"]) == (404, "not_found")
        assert claim(newer).status_code == 201

    def test_needs_the_scope_for_tokens(self, client, ana, create):
        made = client.post("/v1/tokens", json={"scopes": ["games:play"]}, headers=ana)

        refused = client.post("/v1/me/recovery-code", json={}, headers=headers(made))

        assert (refused.status_code, refused.json["code"]) == (403, "insufficient_scope")

    @pytest.mark.parametrize(
        "typed",
        [
            str.lower,
            lambda code: code.replace("-", " "),
            lambda code: f" {code.replace('-', '')} ",
            lambda code: code.replace("0", "o").replace("1", "I"),
        ],
    )
    def test_may_be_typed_as_people_type(self, create, claim, typed):
        assert claim(typed(create())).status_code == 201

    def test_is_kept_as_a_hash(self, store, create, claim):
        codes = [create(), create()]
        claim(codes[1])

        kept = repr(vars(store))

        assert not [code for code in codes if code in kept or code.replace("-", "") in kept]

    def test_is_kept_as_long_as_its_account(self, client, ana, clock, create, claim):
        code = create()
        for _ in range(3):
            clock.on(300 * DAY)
            assert status_of(client, ana) == 200

        clock.on(364 * DAY)

        assert claim(code).status_code == 201

    def test_ends_with_its_account(self, client, ana, create, claim):
        code = create()
        client.delete("/v1/me", headers=ana)

        assert claim(code).json["code"] == "not_found"


class TestAWrongCode:
    def test_gets_one_answer_for_every_reason(self, client, ana, ben, create, claim):
        replaced, deleted = create(), create(ben)
        wrong_check = create()[:-1]
        wrong_check += next(
            digit for digit in "0123456789" if not has_valid_check(wrong_check + digit, length=25)
        )
        client.delete("/v1/me", headers=ben)

        answers = [
            claim(code)
            for code in (
                replaced,
                deleted,
                wrong_check,
                new_checked_code(groups=5, size=5),
                "AAAAA",
                "\u0661" * 25,
                "../../x",
                "\x00",
            )
        ]

        assert {answer.status_code for answer in answers} == {404}
        assert len({answer.json["detail"] for answer in answers}) == 1

    def test_is_found_by_its_check(self):
        code = new_checked_code(groups=5, size=5).replace("-", "")
        digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
        mistyped = {
            code[:place] + digit + code[place + 1 :]
            for place in range(25)
            for digit in digits
            if digit != code[place]
        }
        swapped = {
            code[:place] + code[place + 1] + code[place] + code[place + 2 :]
            for place in range(24)
            if code[place] != code[place + 1]
        }

        assert has_valid_check(code, length=25)
        assert not [wrong for wrong in mistyped | swapped if has_valid_check(wrong, length=25)]


class TestRevokingTheOtherTokens:
    def test_is_done_only_where_it_is_asked_for(self, client, ana, create, claim):
        claim(create())

        assert status_of(client, ana) == 200

    def test_shuts_out_the_lost_device(self, client, ana, create, claim):
        laptop = client.post("/v1/tokens", json={"name": "laptop"}, headers=ana)
        link = client.post("/v1/device-links", json={}, headers=ana).json["code"]

        phone = claim(create(), revoke_other_tokens=True)

        assert [status_of(client, each) for each in (ana, headers(laptop), headers(phone))] == [401, 401, 200]
        assert client.post("/v1/device-links/claim", json={"code": link}).status_code == 404
        tokens = client.get("/v1/tokens", headers=headers(phone)).json["tokens"]
        assert tokens == [phone.json["token_info"]]

    def test_leaves_links_made_later(self, client, clock, create, claim):
        phone = headers(claim(create(), revoke_other_tokens=True))
        clock.on(1)
        link = client.post("/v1/device-links", json={}, headers=phone).json["code"]

        assert client.post("/v1/device-links/claim", json={"code": link}).status_code == 201


class TestARetriedRequest:
    def test_gets_the_same_code(self, client, ana, store):
        key = {"Idempotency-Key": "recovery-1", **ana}

        first, again = (client.post("/v1/me/recovery-code", json={}, headers=key) for _ in range(2))

        assert first.json == again.json
        assert first.json["recovery_code"] not in repr(vars(store))

    def test_gets_the_same_token(self, client, create, claim):
        code = create()

        first, again = (claim(code, key="claim-1-b66a7f1e2c", revoke_other_tokens=True) for _ in range(2))

        assert first.json == again.json
        assert status_of(client, headers(again)) == 200
