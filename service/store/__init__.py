"""Storage of games, players and everything else: the contract, and its implementation in Redis.

`contract` holds the `Store` protocol, with one file for each other subject; `redis` implements
each of them in a file of the same name.
"""
