"""The least a service of this kind could do, served as ours is: the yardstick of bench_http.

A bare Flask view that checks a token, reads once, does one Lua compare-and-set of a
blob and answers JSON. REDIS_URL, PORT, BLOB_BYTES and ANSWER_BYTES come from the
environment.
"""

import hashlib
import os
from typing import Any

import msgspec
import redis
from flask import Flask, Response, request

from service.config import Settings
from workers.processes.api import Server
from workers.processes.listener import listen

COMPARE_AND_SET = """
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'state', ARGV[3])
return 1
"""


def create_app() -> Flask:
    """Return the app; its games are hashes bare:<name>, its tokens strings bare:token:<hash>."""
    app = Flask("bare")
    store = redis.Redis.from_url(os.environ["REDIS_URL"], protocol=2)
    compare_and_set = store.register_script(COMPARE_AND_SET)
    blob = b"x" * int(os.environ["BLOB_BYTES"])
    answer = {"version": 1, "game": "x" * int(os.environ["ANSWER_BYTES"])}

    @app.post("/bare/<name>")
    def change(name: str) -> Response:
        token = request.headers["Authorization"].removeprefix("Bearer ")
        if store.get(f"bare:token:{hashlib.sha256(token.encode()).hexdigest()}") is None:
            return Response(status=401)
        request.get_json()
        version, _ = store.hmget(f"bare:{name}", "version", "state")
        done = compare_and_set(keys=[f"bare:{name}"], args=[version, int(version) + 1, blob])
        return Response(msgspec.json.encode({**answer, "done": done}), 201, mimetype="application/json")

    return app


class BareServer(Server):
    """The same gunicorn with the bare app."""

    def load(self) -> Any:
        return create_app()


if __name__ == "__main__":
    settings = Settings.from_environment()
    BareServer(
        {
            "bind": f"fd://{listen(settings).detach()}",
            "worker_class": "gthread",
            "workers": settings.api_processes,
            "threads": settings.api_threads,
            "worker_connections": settings.api_threads + 1000,
            "loglevel": "warning",
            "control_socket_disable": True,
        }
    ).run()
