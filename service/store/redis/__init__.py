"""The store in Redis or Valkey: a file per subject, beside the contract of the same name."""
