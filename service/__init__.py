"""Rummy 500 as an HTTP service: the rules, the tables they are played at, the API."""

__version__ = "0.2.0.dev0"
