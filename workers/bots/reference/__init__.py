"""Bench players: what other programs play, written afresh to be measured against; no level is among them."""
