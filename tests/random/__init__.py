"""Every exact draw: words, coins, integers, noise and batches."""
