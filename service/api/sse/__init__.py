"""Streams over HTTP: server-sent events and lines of JSON, for a game and for an account."""
