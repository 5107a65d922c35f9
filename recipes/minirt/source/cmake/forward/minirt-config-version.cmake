# The package is in lib/cmake/minirt; this lets share/cmake be a prefix too.
include("${CMAKE_CURRENT_LIST_DIR}/../../../lib/cmake/minirt/minirt-config-version.cmake")
