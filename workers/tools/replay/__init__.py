"""What the commands `replay` and `check` work with: where replays come from, and the JSON form of one."""
