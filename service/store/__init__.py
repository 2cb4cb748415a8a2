"""Where games, players and answers are kept: a contract and its two keepings.

`base` is the contract, with a file for each of its other subjects. `redis_store`
keeps everything in Redis or Valkey; `memory_store` is its twin inside one process,
for tests. Both pass one suite.
"""
