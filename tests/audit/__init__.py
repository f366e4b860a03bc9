"""Audits find broken mechanisms, and never accuse sound ones more often than they say."""
