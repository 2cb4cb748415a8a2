"""What the linters of other people say of the document: nothing, at their strictest."""

import json
import subprocess

import pytest

from tests.support import node

PATIENCE_SECONDS = 120
SPECTRAL = [
    *node.tool("@stoplight/spectral-cli", "dist/index.js"),
    *("lint", "--fail-severity", "hint", "--display-only-failures", "--ruleset", "spectral.yaml"),
]
REDOCLY = [*node.tool("@redocly/cli", "bin/cli.js"), "lint", "--config", "redocly.yaml"]


def judged(linter, document):
    return subprocess.run(
        [*linter, document],
        cwd=node.FOLDER,
        env=node.environment(REDOCLY_SUPPRESS_UPDATE_NOTICE="true"),
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


@pytest.mark.parametrize("linter", [SPECTRAL, REDOCLY], ids=["Spectral", "Redocly"])
class TestTheDocument:
    def test_is_found_faultless(self, document, linter):
        done = judged(linter, document)

        assert done.returncode == 0, done.stdout + done.stderr

    def test_would_not_be_with_a_fault(self, document, linter, tmp_path):
        """A linter that finds nothing wrong with anything would be no witness."""
        small = {**json.loads(document.read_text()), "paths": {}, "tags": []}
        small["components"] = {"schemas": {"Forgotten": {"type": "string"}}}
        path = tmp_path / "openapi.json"
        path.write_text(json.dumps(small))

        done = judged(linter, path)

        assert done.returncode == 1
        assert "Forgotten" in done.stdout + done.stderr
