"""Random scripts of Brian 2, which `random_brian.py` runs on both devices.

A script is a tree of dicts, lists and texts. Texts name variables by their objects: `g1.v` is `v` of the group `g1`, `s1.w` is `w` of the synapses
`s1`, and `U_g1` is the unit of the potential of `g1`. So one rule removes an object with all that depends on it."""
