"""Programs that tune the weights of the computer players; the service does not import them."""
