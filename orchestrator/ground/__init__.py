"""What bootstrap and the noxfile share: standard library only, whichever Python runs it."""
