// Loads each program file that is named and says what became of it, a line a file.
#include <minirt/error.h>
#include <minirt/program.h>

#include <cstdio>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      minirt::Program::load(argv[i]);
      std::printf("loaded\n");
    } catch (const minirt::Error& error) {
      std::printf("%s\n", error.what());
    }
  }
  return 0;
}
