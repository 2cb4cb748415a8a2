"""A reader of server-sent events that comes back by itself. It needs Python 3.11 and nothing else.

    python3 events.py http://127.0.0.1:8000/v1/me/stream "$token"

prints each event as a line of JSON. In a program: `for event in events(url, token): ...`.
"""

import http.client
import json
import sys
import time
import urllib.error
import urllib.request

SILENCE_SECONDS = 45  # A live stream sends something every 15 seconds.
NO_RETURN = ("token_revoked", "access_lost", "replaced")


def events(url, token, after=None):
    """Yield the `data` of each event, in order and without gaps; `after` is the id to go on after.

    Ends when the service says that it makes no sense to come back, and raises HTTPError for a refusal.
    """
    while True:
        headers = {"Authorization": f"Bearer {token}", **({"Last-Event-ID": after} if after else {})}
        try:
            with urllib.request.urlopen(
                urllib.request.Request(url, headers=headers), timeout=SILENCE_SECONDS
            ) as lines:
                fields = {}
                for line in lines:
                    name, _, value = line.decode().rstrip("\r\n").partition(":")
                    if name:
                        fields[name] = value.removeprefix(" ")
                    elif "data" in fields:
                        after = fields.get("id", after)
                        event, fields = json.loads(fields["data"]), {}
                        if event["type"] != "ping":
                            yield event
                        if event.get("reason") in NO_RETURN and event["type"] == "stream.closing":
                            return
        except urllib.error.HTTPError as error:
            if error.code not in (429, *range(500, 600)):
                raise
        except (OSError, http.client.HTTPException, ValueError):
            pass  # The line was cut, or silent for too long.
        time.sleep(2)


if __name__ == "__main__":
    for event in events(sys.argv[1], sys.argv[2]):
        print(json.dumps(event), flush=True)
