"""Who may read and who may command: the keys of SROS 2's enclaves, and the nodes that use them."""
