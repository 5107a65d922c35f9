// What every header of minirt needs: the language level and the mark of exported symbols.
#pragma once

#if __cplusplus < 201703L
#error "minirt needs C++17: pass -std=c++17 or link the target minirt::runtime"
#endif

#define MINIRT_API __attribute__((visibility("default")))
