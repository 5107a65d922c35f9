"""Build native Python wheels in containers and prove what they carry."""
