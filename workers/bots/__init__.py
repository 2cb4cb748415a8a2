"""The computers that take seats: a file for each kind of player, and what they share."""
