"""A client that plays whole games over the public API and believes nothing it is told.

It shares no code with the service: what it checks answers against is reckoned here
anew from RULES.md, so that a fault in the service cannot hide in its own mirror.
"""
