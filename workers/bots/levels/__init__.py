"""The computer levels: a file for each kind of player."""
