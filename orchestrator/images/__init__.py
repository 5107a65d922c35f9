"""Container images: their definitions, their Debian locks, and how stand-ins are made from packages."""
