"""Python side of wakeline: the judge of its wire protocol, a poller, an executor and a signer to compare with."""
