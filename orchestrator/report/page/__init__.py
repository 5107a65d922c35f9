"""The report as a page: one HTML file that needs nothing else, neither a network nor a server."""
