"""The docs page in a real browser: it reads the document, asks nobody else, and can call the service."""

import json
import shutil
import subprocess
from urllib.parse import urlsplit

import pytest

from tests.support import node

PATIENCE_SECONDS = 180


@pytest.fixture(scope="module")
def seen(url):
    """What a reader saw who made two calls from the page."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.fail("These tests need a browser: install it with `apt-get install chromium`.")
    done = subprocess.run(
        [node.NODE, node.FOLDER / "browser" / "docs.mjs", chromium, url],
        env=node.environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(done.stdout)


class TestThePage:
    def test_shows_every_operation(self, seen, document):
        paths = json.loads(document.read_text())["paths"].values()

        assert seen["title"] == "Rummy 500 API"
        assert seen["operations"] == sum("operationId" in one for path in paths for one in path.values())

    def test_calls_the_service(self, seen):
        created, me = seen["calls"]

        assert (created["status"], created["shown"]) == (201, 201)
        assert (me["status"], me["shown"]) == (200, 200)
        assert me["id"] == created["id"]

    def test_asks_nobody_else(self, seen, url):
        asked = {urlsplit(one)._replace(path="", query="", fragment="").geturl() for one in seen["asked"]}

        # Pictures that stand within the style sheets are asked of nobody.
        assert {one for one in asked if not one.startswith("data:")} == {url}

    def test_complains_of_nothing(self, seen):
        assert seen["complaints"] == []
