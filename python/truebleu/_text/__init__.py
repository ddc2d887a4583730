"""What the printers of all wings share: the style of a report, and names from elsewhere inside it."""
