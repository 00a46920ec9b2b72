// Fuzzers of the board with a bad line, a random host and random sensors, to be run under sanitizers.
//
//     fuzz line|fields FRAMES SEED        ends with 0 and a line of counts, or with 1 and the place of the error

#include "fuzz.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

unsigned long fuzz_seed = 0;
long fuzz_frame = 0;

void wrong(const char* what) {
    std::fprintf(stderr, "seed %lu, frame %ld: %s\n", fuzz_seed, fuzz_frame, what);
    std::_Exit(1);  // without destructors: unfreed memory is no leak here
}

int main(int count, char** words) {
    if (count != 4) {
        std::fputs("fuzz line|fields FRAMES SEED\n", stderr);
        return 2;
    }
    fuzz_seed = std::strtoul(words[3], nullptr, 10);
    (std::strcmp(words[1], "line") == 0 ? fuzz_line : fuzz_fields)(std::atol(words[2]));
    return 0;
}
