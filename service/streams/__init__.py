"""Events handed to everybody who follows a game or an account, and who is here to follow it."""
