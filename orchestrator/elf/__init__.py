"""Reading ELF files: pure functions over bytes."""
