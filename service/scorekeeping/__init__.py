"""Score keeping for a game that people play with real cards."""
