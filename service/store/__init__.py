"""Where games, players and answers are kept: a contract, and its implementation in Redis.

`contract` holds the `Store` protocol, with a file for each other subject; `redis` implements
each of them in a file of the same name.
"""
