// What tests see of the host's CUDA runtime.
#pragma once

#include "cuda_runtime_api.h"

#include <string>
#include <vector>

// CALL@DEVICE/STREAM, in order: the thread's current device, and the stream's address as a number.
extern std::vector<std::string> host_calls;

std::size_t host_blocks_in_use();
