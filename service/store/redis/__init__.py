"""The store in Redis or Valkey: one file per subject, named as its part of the contract.

The contract documents the methods; comments here give what is particular to Redis.
"""
