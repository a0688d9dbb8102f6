"""How well it works: problems with known answers, their trials, and the tables made of them."""
