// Functions that gain from wider vectors, outside of the interpreter's own builds: compiled twice,
// chosen when the program is loaded. The results are the same.
#pragma once

// The choice is made before a sanitizer is ready, and clang has other names for it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TILESCOPE_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define TILESCOPE_WIDE
#endif
