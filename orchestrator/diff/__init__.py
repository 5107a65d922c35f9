"""What differs between two wheels, or two reports: what a reviewer asks of a release."""
