"""Where a ledger lies: a file of SQLite's or a database of PostgreSQL's."""
