"""What hands, draws, discards and melds are worth, by what one seat can see."""
