"""What happens to a game: its record, its transitions, and the commit that writes them."""
