"""The service's processes: a module for each subcommand that runs until it is stopped."""
