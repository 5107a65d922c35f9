"""Container images: official references by digest and stand-ins made from Debian packages."""
