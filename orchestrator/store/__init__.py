"""The content-addressed store of inputs and results, and the locks that name them."""
