"""Executors against each other behind one Python poller: `python python/ab.py --help`."""

import sys

from wakeline_ab.cli import main

if __name__ == "__main__":
    sys.exit(main())
