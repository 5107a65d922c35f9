# The CUDA side of the build. Compiler and architectures are given, never found: what a machine
# happens to have must not decide what a wheel holds.

# minirt_given(result variable environment): a CMake variable, or else an environment variable, or empty.
function(minirt_given result variable environment)
  if(NOT "${${variable}}" STREQUAL "")
    set(${result} "${${variable}}" PARENT_SCOPE)
  else()
    set(${result} "$ENV{${environment}}" PARENT_SCOPE)
  endif()
endfunction()

# minirt_use_cuda_runtime(target…): these call the CUDA runtime, which is another distribution's library.
# It is linked by name, and by the C++ compiler: what CMake would add of itself, libcudadevrt, not all
# toolkits have, and nvcc adds device code for an architecture of its own choice when it links.
function(minirt_use_cuda_runtime)
  foreach(target IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE CUDA::cudart)
    set_target_properties(
      ${target} PROPERTIES
      CUDA_RUNTIME_LIBRARY None
      LINKER_LANGUAGE CXX
      INSTALL_RPATH "$ORIGIN;${MINIRT_CUDA_RUNTIME_HOP}"
    )
  endforeach()
endfunction()

# What the wheel declares (packaging/requires_from_environment.py) and what is built are one decision.
set(declared "$ENV{MINIRT_CUDA_VERSION}")
if(NOT MINIRT_CUDA)
  if(NOT declared STREQUAL "")
    message(
      FATAL_ERROR
        "minirt: MINIRT_CUDA_VERSION=${declared} makes the wheel require a CUDA runtime, but MINIRT_CUDA is OFF: "
        "unset the one or turn the other ON"
    )
  endif()
  return()
endif()

minirt_given(compiler CMAKE_CUDA_COMPILER CUDACXX)
if(compiler STREQUAL "")
  message(
    FATAL_ERROR
      "minirt: MINIRT_CUDA is ON, but no CUDA compiler was given, and none is looked for: set CMAKE_CUDA_COMPILER, or "
      "CUDACXX in the environment, to the path of nvcc"
  )
endif()

minirt_given(architectures CMAKE_CUDA_ARCHITECTURES CUDAARCHS)
if(architectures STREQUAL "")
  message(
    FATAL_ERROR
      "minirt: MINIRT_CUDA is ON, but no CUDA architectures were given, and nvcc would take one of its own choice: set "
      "CMAKE_CUDA_ARCHITECTURES, or CUDAARCHS in the environment, to a list such as 80-real;90-real;90-virtual"
  )
endif()
foreach(architecture IN LISTS architectures)
  if(NOT architecture MATCHES "^[0-9]+[af]?(-real|-virtual)?$")
    message(
      FATAL_ERROR
        "minirt: the CUDA architecture '${architecture}' is none that is given: list them one by one, such as "
        "80-real;90-real;90-virtual"
    )
  endif()
endforeach()

if(DEFINED SKBUILD AND declared STREQUAL "")
  message(
    FATAL_ERROR
      "minirt: MINIRT_CUDA is ON, but the wheel would require no CUDA runtime: set MINIRT_CUDA_VERSION in the "
      "environment to the oldest one that it is to run with, such as 13.0"
  )
endif()

set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
# No code is linked across files on the device, and some toolkits have no library for it.
string(APPEND CMAKE_CUDA_FLAGS " -cudadevrt none")
enable_language(CUDA)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
set(CMAKE_CUDA_VISIBILITY_PRESET hidden)

string(REGEX MATCH "^[0-9]+" cuda_major "${CMAKE_CUDA_COMPILER_VERSION}")
if(NOT declared STREQUAL "" AND NOT declared MATCHES "^${cuda_major}\\.[0-9]+$")
  message(
    FATAL_ERROR
      "minirt: MINIRT_CUDA_VERSION=${declared} makes the wheel require another CUDA runtime than that of the compiler, "
      "which is CUDA ${CMAKE_CUDA_COMPILER_VERSION} (${CMAKE_CUDA_COMPILER})"
  )
endif()
set(MINIRT_CUDA_VERSION "${declared}")
if(declared STREQUAL "")
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" MINIRT_CUDA_VERSION "${CMAKE_CUDA_COMPILER_VERSION}")
endif()

# Where NVIDIA's distribution of the runtime puts it, seen from minirt/lib.
if(cuda_major EQUAL 12)
  set(MINIRT_CUDA_RUNTIME_HOP "$ORIGIN/../../nvidia/cuda_runtime/lib")
elseif(cuda_major EQUAL 13)
  set(MINIRT_CUDA_RUNTIME_HOP "$ORIGIN/../../nvidia/cu13/lib")
else()
  message(FATAL_ERROR "minirt: it is not known where the runtime of CUDA ${cuda_major} is installed; 12 and 13 are")
endif()

find_package(CUDAToolkit REQUIRED)
if(NOT TARGET CUDA::cudart)
  message(FATAL_ERROR "minirt: the CUDA toolkit of ${CMAKE_CUDA_COMPILER} has no shared runtime library")
endif()
