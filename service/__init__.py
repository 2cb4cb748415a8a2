"""Rummy 500 as an HTTP service: the rules, the tables they are played at, the API."""

__version__ = "0.1.0"
