"""What reaches a log, and what does not."""

import io
import json
import logging
import secrets
import warnings
from datetime import datetime

import pytest

from service.api.auth import new_token, new_token_id
from service.jobs.queues import advice_job_id, delivery_job_id, job_id, thinking_job_id
from service.rummy.cards import ORDER
from service.runtime.logs import REDACTED, configure, formatter, redact_secrets
from service.store.ids import game_id_from, new_game_id, new_player_id

TOKEN = new_token(new_player_id())


@pytest.fixture
def log():
    """Make a logger of that format; return it and what it has written."""
    logger = logging.getLogger("rummy500.test")

    def log(log_format):
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter(log_format))
        logger.handlers = [handler]
        logger.propagate = False
        return logger, stream.getvalue

    yield log
    logger.handlers.clear()
    logger.propagate = True


def broken():
    raise KeyError(f"hand 7H, {TOKEN}")


class TestSecrets:
    @pytest.mark.parametrize(
        "line",
        [
            f"GET /v1/games/{TOKEN}",
            f"GET /v1/games/{TOKEN.replace('.', '%2E')}",
            f"GET /v1/games/{TOKEN.replace('.', '%252e')}",
            f"the secret alone: {TOKEN.split('.')[1]}",
            f"headers: {{'Authorization': 'Bearer {TOKEN}'}}",
            f"headers: [(b'authorization', b'bearer {TOKEN[:20]}')]",
            f"GET /v1/games/g1/stream?ticket={TOKEN[:22]}&after=1-0",
            f"GET /v1/games/g1?invite_code={TOKEN[:22]}",
            f'{{"invite_code":"{TOKEN[:22]}"}}',
            f"GameRecord(invite_code='{TOKEN[:22]}', spectator_code='{TOKEN[:22]}', phase_version=1)",
            f'{{"spectator_code": "{TOKEN[:22]}"}}',
            f"turn-{TOKEN.split('.')[1]}-100-0",
            f"{job_id(new_game_id(), 1000, 0)}{TOKEN.split('.')[1]}",
            f"the webhook whsec_{TOKEN[:20]}",
            f"Person(token='{TOKEN[:22]}')",
            f"Record(key={bytes(range(32))!r}, seed='{TOKEN[:22]}')",
        ],
        # A test is called the same in every process, and no token belongs into a report.
        ids=map(str, range(16)),
    )
    def test_are_left_out_wherever_they_stand(self, line):
        kept = redact_secrets(line)

        assert REDACTED in kept
        for piece in (TOKEN.split(".")[1][:20], TOKEN[:20], r"\x00\x01"):
            assert piece not in kept.replace(REDACTED, "")

    def test_a_code_of_a_device_is_left_out(self):
        assert redact_secrets("claimed 7Q2M-XK9D-04FT") == f"claimed {REDACTED}"

    def test_a_recovery_code_is_left_out(self):
        assert redact_secrets("claimed 1Z8QK-0V7TM-D4XJ9-RB2CW-5HN3F") == f"claimed {REDACTED}"

    def test_a_password_of_a_server_is_left_out(self):
        assert redact_secrets("redis://ana:hunter2@store:6379/0") == f"redis://{REDACTED}@store:6379/0"

    @pytest.mark.parametrize("card", [*ORDER, "X1", "X6"])
    def test_cards_are_left_out(self, card):
        for line in (
            f"{card} is not held",
            f'{{"hand":["{card}"]}}',
            f"KeyError: '{card}'",
            f"cards=({card},)",
        ):
            assert card not in redact_secrets(line)

    def test_ids_and_words_stay(self):
        for kept in (
            *(new_game_id() for _ in range(200)),
            *(new_player_id() for _ in range(200)),
            *(new_token_id() for _ in range(200)),
            *(secrets.token_urlsafe(12) for _ in range(200)),
            "5f0c2a54-6f0e-4f6c-9c59-0d2f6f1f7a10",
            "/usr/lib/python3/dist-packages/gunicorn/workers/gthread.py",
            "turn-g0042-17-2",
            "AS IS: 404 in 12 ms",
        ):
            line = f"game {kept}, request 7"
            assert redact_secrets(line) == line.replace("AS IS", f"{REDACTED} IS")

    @pytest.mark.parametrize("number", [0, 9, 99, 1000, 123_456])
    def test_ids_of_jobs_stay_however_long_a_game_goes_on(self, number):
        game_id, derived = new_game_id(), game_id_from(secrets.token_bytes(32), shard=63)
        for kept in (
            *(job_id(game, number, attempt) for game in (game_id, derived) for attempt in (0, 12)),
            *(thinking_job_id(game, number, attempt) for game in (game_id, derived) for attempt in (0, 12)),
            delivery_job_id(f"msg_{secrets.token_hex(16)}", number),
            advice_job_id(f"j{secrets.token_urlsafe(24)}", number),
        ):
            for line in (kept, f"rq:job:{kept}", f"Job {kept} failed", f"('{kept}',)"):
                assert redact_secrets(line) == line


class TestALine:
    @pytest.mark.parametrize("log_format", ["text", "json"])
    def test_leaves_out_what_arguments_and_exceptions_hold(self, log, log_format):
        logger, written = log(log_format)
        try:
            broken()
        except KeyError:
            logger.exception("while %s held %s", TOKEN, ["KD"])

        for secret in (TOKEN, TOKEN.split(".")[1], "7H", "KD"):
            assert secret not in written()
        assert "KeyError" in written()
        assert "test_logs.py" in written()

    def test_of_json_is_one_object_with_what_belongs_to_it(self, log):
        logger, written = log("json")

        logger.warning("two\nlines of %s", "Zoë", extra={"request_id": "trace-7", "duration_ms": 1.5})

        (line,) = written().splitlines()
        logged = json.loads(line)
        assert datetime.fromisoformat(logged.pop("time")).utcoffset().total_seconds() == 0
        assert isinstance(logged.pop("process"), int)
        assert logged == {
            "level": "WARNING",
            "logger": "rummy500.test",
            "message": "two\nlines of Zoë",
            "request_id": "trace-7",
            "duration_ms": 1.5,
        }


class TestAProcess:
    def test_is_configured_once(self):
        root = logging.getLogger()
        before = (list(root.handlers), root.level)
        stream = io.StringIO()
        try:
            configure(log_format="json", level=logging.INFO, stream=stream)
            logging.getLogger("anybody").info("heard")
            logging.getLogger("anybody").debug("not heard")
            with warnings.catch_warnings():
                warnings.simplefilter("always")
                warnings.warn("heard too", stacklevel=1)
        finally:
            logging.captureWarnings(capture=False)
            root.handlers[:], root.level = before

        logged = [json.loads(line)["message"] for line in stream.getvalue().splitlines()]
        assert logged[0] == "heard"
        assert "heard too" in logged[1]
        assert len(logged) == 2
