"""What the page can be asked, one file for each question: a function and its two schemas."""
