"""These checks need a browser and notebooks; `check.py` runs them."""

collect_ignore_glob = ["*.py"]
