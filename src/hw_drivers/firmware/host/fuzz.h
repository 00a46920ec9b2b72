// What fuzzing programs share: the place where they are, and the end when something is wrong.
#pragma once

extern unsigned long fuzz_seed;
extern long fuzz_frame;

[[noreturn]] void wrong(const char* what);

// Each lets so many frames pass, prints a line of counts, and ends the program where something is wrong.
void fuzz_line(long frames);
void fuzz_fields(long frames);
