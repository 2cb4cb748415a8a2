"""The page at `/`: what this service is, and where to go on."""

from typing import Final

from flask import Blueprint, Response

front_page = Blueprint("front_page", __name__)

_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rummy 500</title>
<link rel="stylesheet" href="/front-page.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<main>
<h1>Rummy 500</h1>
<p>This service plays Rummy 500 over HTTP: two to eight players at one table: people, bots and computers.</p>
<h2>Play and keep score</h2>
<ul>
<li><a href="/v1/rule-book.md">The rule book</a>: every rule and house rule, by number</li>
<li><a href="/v1/rules/classic/sheet.pdf">The rules on one page</a> and
<a href="/v1/rules/classic/score-sheet.pdf">an empty score sheet</a>, to print</li>
<li><a href="/docs/scores">Keep the score</a> of a game with real cards</li>
</ul>
<h2>Write a client</h2>
<ul>
<li><a href="/docs">Every operation</a>, with examples to try in the browser</li>
<li><a href="/v1/openapi.json">The OpenAPI document</a>, for code generators</li>
<li><a href="/docs/bots">Write a bot</a> in ten minutes</li>
<li><a href="/v1/meta">Presets, options, codes and limits</a></li>
<li><a href="/docs/ratings">Ratings</a>: which games count</li>
<li><a href="/docs/notation">The notation of replays</a>,
and <a href="/docs/proof">how to check a shuffle</a></li>
</ul>
</main>
</body>
</html>
"""
_STYLE: Final = """\
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif; }
main { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
"""
_POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "form-action 'none'"
)
_AN_HOUR: Final = "public, max-age=3600"


@front_page.get("/")
def page() -> Response:
    """Serve the page."""
    headers = {"Content-Security-Policy": _POLICY, "Cache-Control": _AN_HOUR}
    return Response(_PAGE, content_type="text/html; charset=utf-8", headers=headers)


@front_page.get("/front-page.css")
def style() -> Response:
    """Serve the style of the page; a separate file, because its policy allows no inline style."""
    return Response(_STYLE, content_type="text/css; charset=utf-8", headers={"Cache-Control": _AN_HOUR})
