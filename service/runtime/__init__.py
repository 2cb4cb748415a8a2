"""Process plumbing that knows no game: logging, metrics, timestamps, outgoing HTTP, forks."""
