"""Credits: the account, its entries, and the prices."""
