"""What follows a commit outside the game's slot: notifications, ratings, lists, webhooks."""
