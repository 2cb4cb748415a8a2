"""Whole games as text that people read with pleasure and programs read exactly.

A log becomes lines (`event_lines`, `from_record`), lines become text (`writing`) and text
lines again (`reading`); `verify` plays them anew by the rules and says what is
wrong. The notation is written down in `openapi/NOTATION.md`.
"""
