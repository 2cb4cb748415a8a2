"""One file per resource: the operations, as routes of the API."""
