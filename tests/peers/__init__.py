"""The same questions asked of other libraries."""
