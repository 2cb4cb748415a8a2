"""A client that plays whole games over the public API and checks every answer.

It shares no code with the service: it recomputes what it checks from RULES.md, so that a fault of the
service cannot hide in code that both use.
"""
