"""Deals played out by the rules: as slow as a hundred of the simulator's, and right by definition."""
