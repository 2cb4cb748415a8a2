"""The simulator: whole deals on plain integers, for players that search.

A card is a number, a hand a bit mask. Nothing in here decides what the rules are: they stand in
`service.rummy`, and a test plays whole games through both and compares them move by move. The
modules are plain Python and stay so; where a C compiler is there, `deploy/compile_simulator.py`
makes extension modules of the same files, some ten times as fast.
"""
