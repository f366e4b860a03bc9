"""What several mechanisms share: classes that have no name of their own in the text form."""
