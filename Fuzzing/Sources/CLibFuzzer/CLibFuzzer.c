// The declarations of libFuzzer are all there is; this file makes a module of them.
