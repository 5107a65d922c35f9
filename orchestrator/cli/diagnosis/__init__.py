"""What `doctor` looks at, one module a subject."""
