"""What an answer means, for people: explanations, statements, and tables for notebooks."""
