"""The HTTP API: a file per resource in `resources`, bodies in `schemas`, errors in `problems`.

An endpoint is a decorator and a few lines. The request is validated before it runs, and no rule of the
game is known here. Every response about a game passes `views.rendering`, which shows only what its viewer
may see.
"""
