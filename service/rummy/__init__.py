"""The rules of Rummy 500: pure, standard library only.

A game is a value. `play(game, move)` answers with the events of the move and
the next game, or raises an `IllegalMove`. Nothing here knows the time, the
network or a store; every shuffle is derived from the key a game carries.
`view_for` and `redact` are the only way out: what they answer may be shown.

RULES.md beside this file is the rule book; code, errors and tests cite it.
"""
