"""Static evaluation of hands, draws, discards and melds from what one seat can see."""
