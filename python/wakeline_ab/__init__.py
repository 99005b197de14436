"""Executors against each other behind one Python poller, in interleaved pairs.

From the command line down: ``cli`` reads it, ``rounds`` takes turns, ``run`` is one executor's turn, with
every check that lets it fail. In a turn ``drive`` is the poller's process and ``serve`` the Python executor's
own; both get their parts from ``own`` or, out of a checkout of the bot, from ``infra``. ``compare`` pairs the
runs, ``ratios`` judges the pairs, and ``table``, ``history`` and ``chart`` say what came out.
"""
