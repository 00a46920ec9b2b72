// Shared by the fuzzing programs: the present place, and the end after an error.
#pragma once

extern unsigned long fuzz_seed;
extern long fuzz_frame;

[[noreturn]] void wrong(const char* what);

// Each sends `frames` frames, prints a line of counts, and ends the program after an error.
void fuzz_line(long frames);
void fuzz_fields(long frames);
