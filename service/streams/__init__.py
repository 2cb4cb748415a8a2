"""Streams of events: the broker, its subscriptions, open connections and player presence."""
