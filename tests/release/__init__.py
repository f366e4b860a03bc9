"""What runs: the noise, the reports and the words that go with them."""
