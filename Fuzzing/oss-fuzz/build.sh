#!/bin/bash -eu
# Builds all targets into $OUT, as OSS-Fuzz asks for them. $SRC, $OUT, $WORK and $SANITIZER are set by its image, and
# precompile_swift turns them into options for `swift build`.
. precompile_swift

# Targets run in another image, without these libraries: so the linker finds nothing but archives of them.
mkdir -p "$WORK/archives"
for name in ssl crypto z; do
    cp "$(clang -print-file-name="lib$name.a")" "$WORK/archives/"
done

cd "$SRC/associated"
# shellcheck disable=SC2086 # The options are words.
script/fuzz --pack "$OUT" $SWIFT6_2FLAGS -Xlinker "-L$WORK/archives"
