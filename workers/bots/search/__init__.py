"""Monte Carlo search over sampled deals: moves for `expert`, hints and reviews for people."""
