"""Python side of the wakeline wire protocol: the judge, a poller, and an executor to compare with."""
