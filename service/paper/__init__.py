"""Score sheets and rule sheets to print, as PDF."""
