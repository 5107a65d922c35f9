"""CMake packages of any wheel, tried in containers without a recipe: K6, K7 and K8."""
