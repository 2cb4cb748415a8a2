"""The HTTP API: one small file a resource, forms in `schemas`, refusals in `problems`.

An endpoint is one decorator and a few lines: the form of the request is checked
before it runs, no rule of the game is known here, and every answer about a game
passes `rendering`, which shows only what its viewer may see.
"""
