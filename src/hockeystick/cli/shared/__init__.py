"""What the commands share; nothing here is a command."""
