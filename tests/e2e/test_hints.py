"""Advice from a real adviser: asked for over HTTP, thought about in a process of its own."""

from tests.support.tree import wait_for


def finished(person, asked):
    """Wait until a job is over, and return it."""
    assert asked.status_code == 202, asked.text
    path = asked.headers["Location"]

    def over():
        job = person.http.get(path).json()
        return job if job["status"] in {"done", "failed"} else None

    job = wait_for(over, "the adviser")
    assert job["status"] == "done", job
    return job


def waits_for_somebody(view):
    """Return the view unless the computer is to move."""
    return view if view["status"] != "playing" or 0 in view["turn"]["may_act"] else None


def test_a_game_is_played_by_hints_and_reviewed_afterwards(url, arrive):
    ana = arrive(url, "Ana")
    game = ana.open(
        variant={"preset": "classic", "overrides": {"deals": 1, "hand_size": 3}},
        seats=2,
        opponents=[{"level": "steady"}],
        sandbox=True,
        seed="hints",
    )
    for _ in range(3):
        view = wait_for(lambda: waits_for_somebody(ana.view(game)), "the computer's turn")
        if view["status"] != "playing":
            break
        hint = finished(ana, ana.post(f"{game}/hints", version=view["version"]))["hint"]
        best = hint["best"]["move"]
        made = ana.post(best["path"], best["body"], version=view["version"])
        assert made.status_code == 201, made.text
    if ana.view(game)["status"] == "playing":
        assert ana.post(f"{game}/resignation").status_code == 201

    job = finished(ana, ana.post(f"{game}/review"))

    assert job["done"] == job["steps"]
    assert ana.http.get(f"{game}/review").json() == job["review"]
