"""Replays as text: whole games that people can read and programs can parse.

`from_record` and `event_lines` turn a log into lines, `writing` turns lines into text,
`reading` parses text into lines, and `verify` replays the lines by the rules and reports
what is wrong. `openapi/NOTATION.md` defines the notation.
"""
