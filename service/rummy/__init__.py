"""The rules of Rummy 500: pure, standard library only.

A game is a value. `play(game, move)` returns the events of the move and the next
game, or raises `IllegalMove`. Nothing here reads the clock, the network or a store;
every shuffle is derived from the key in the game. `view_for` and `redact` are the
only way out: only what they return may be shown to a player.

RULES.md beside this file is the rule book; code, errors and tests cite it.
"""
