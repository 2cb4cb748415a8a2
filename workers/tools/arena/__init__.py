"""Contests between computer players: mirrored deals, many processes, and what the results say."""
