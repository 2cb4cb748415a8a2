"""The processes of the service: one module per `rummy500` subcommand that runs until it is stopped."""
