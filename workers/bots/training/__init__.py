"""Programs that tune the weights of the bots; the service does not import them."""
