"""Reference players: policies of other public programs, reimplemented as opponents to measure against."""
