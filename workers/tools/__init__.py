"""Tools for people: the arena, the conformance client, replays, and the OpenAPI document."""
