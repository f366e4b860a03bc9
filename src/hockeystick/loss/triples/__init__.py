"""Three laws at once: of the answers on batches that differ in one record."""
