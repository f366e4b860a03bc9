"""How far all contributions of one record together move C·G, by when it takes part."""
