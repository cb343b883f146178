# fuzzer.sh: for tests in sh that let libFuzzer make inputs: finds clang, compiles what is watched,
# runs, and tells what was reached. It wants tap.sh, and
#   DCL_FUZZ_SECONDS   how long it runs [600]
#   DCL_FUZZ_CORPUS    a folder that keeps what was found, and an input that fails (crash-*)

corpus=${DCL_FUZZ_CORPUS:-corpus}
seconds=${DCL_FUZZ_SECONDS:-600}
gen=$DCL_BUILD/obj/gen
clang=
for program in clang clang-14 clang-19; do
    command -v $program >/dev/null 2>&1 || continue
    echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > 9; }' >try.c
    $program -fsanitize=fuzzer -o try try.c 2>/dev/null && clang=$program && break
done
[ -n "$clang" ] || skip_all "no clang with libFuzzer (clang, libclang-rt-14-dev)"
mkdir -p objects seeds "$corpus"

# build_fuzzer MAIN SANITIZERS WATCHED..: ./fuzzer of tests/fuzz/MAIN; SANITIZERS: ",address" or "".
build_fuzzer() {
    main=$1 sanitizers=$2
    shift 2
    flags="-std=c11 -O1 -g -D_GNU_SOURCE -I$DCL_SRC -I$gen -I$DCL_SRC/include"
    for source; do
        $clang $flags -fsanitize=fuzzer-no-link$sanitizers -c \
            -o "objects/$(echo "$source" | tr / _).o" "$source" || exit 1
    done
    ok "it is built" $clang $flags -fsanitize=fuzzer$sanitizers -o fuzzer \
        "$DCL_SRC/tests/fuzz/$main" objects/*.o "$DCL_BUILD/libdcl.a" -lpng -ljpeg -lz -ldl \
        -lpthread -lm || done_testing
}

# run_fuzzer WHAT SECONDS PART OPTIONS..: on $corpus/PART and seeds/PART.
run_fuzzer() {
    what=$1 long=$2 part=$3
    shift 3
    mkdir -p "$corpus/$part"
    ok "no $what fails in $long s" ./fuzzer -max_total_time="$long" \
        -artifact_prefix="$corpus/" -print_final_stats=1 -verbosity=0 "$@" "$corpus/$part" \
        "seeds/$part"
    diag "$(echo "$tap_output" | grep -a 'stat::' | head -n 3)"
}

# tell_coverage DEPTH ROOM: edges reached, by the first DEPTH parts of the path of a source.
# A line is "COVERED_FUNC: hits: 9 edges: 3/7 name /path/of/file.c:12", or UNCOVERED_FUNC.
tell_coverage() {
    ./fuzzer -runs=0 -print_coverage=1 "$corpus" seeds >coverage 2>&1
    awk -v source="$DCL_SRC/" -v depth="$1" '/COVERED_FUNC/ {
        at = 0
        for (i = 1; i <= NF; i++)
            if ($i == "edges:") { split($(i + 1), edges, "/"); at = 1 }
        path = $NF; sub(source, "", path); sub(/^.*obj\/gen\//, "", path)
        sub(/:[0-9:]*$/, "", path)
        n = split(path, parts, "/")
        room = parts[1]
        for (i = 2; i <= depth; i++) room = room "/" parts[i]
        if (at) { have[room] += edges[1]; all[room] += edges[2] }
    } END {
        for (room in all)
            printf "%s: %d of %d edges, %.1f %%\n", room, have[room], all[room],
                100 * have[room] / all[room]
    }' coverage | sort >rooms
    diag "$(cat rooms)"
    ok "coverage is told" sh -c 'grep -q "^$1" rooms && ! grep -a SUMMARY coverage' sh "$2"
}
