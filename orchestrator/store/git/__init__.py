"""Git repositories as sources: mirrors, a cache of what was fetched, objects that are what their names say."""
