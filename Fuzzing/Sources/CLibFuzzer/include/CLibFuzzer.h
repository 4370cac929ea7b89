// What libFuzzer offers to a program that has a `main` of its own. Its archive comes with the toolchain.
#pragma once
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
