"""What a caller may see: who may look, and the JSON of what they see."""
