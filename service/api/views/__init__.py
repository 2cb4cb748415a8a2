"""Views of games: who may see a game, and its JSON."""
