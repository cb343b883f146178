#!/bin/sh
# install.t: what `make install` puts into a folder works from any folder, with the flags of dcl.pc;
# `make uninstall` leaves no file.
. "$DCL_SRC/tests/harness/tap.sh"

root=$PWD/root
at=$root$DCL_PREFIX
make=${MAKE:-make}

quietly() { "$@" >log 2>&1 || { diag "$(tail -n 5 log)"; return 1; }; }

ok "make install" quietly $make -C "$DCL_BUILD" install DESTDIR="$root"
for file in bin/dcl lib/libdcl.so lib/libdcl.a lib/dcl/libdcl_llvm.so include/dcl.h \
    lib/pkgconfig/dcl.pc share/dcl/stdlib/activation.dcl share/man/man1/dcl.1 \
    share/vim/vimfiles/syntax/dclang.vim share/vim/vimfiles/ftdetect/dclang.vim \
    share/dcl/vscode/dcl.tmLanguage.json share/dcl/vscode/package.json \
    share/dcl/vscode/language-configuration.json; do
    ok "$file" test -s "$at/$file"
done

# --- the program -------------------------------------------------------------------------------

mkdir elsewhere
cat >elsewhere/f.dcl <<'END'
x: f32[2, 3] = 1
print(softmax(x * 2))
END
want='[[0.33333334 0.33333334 0.33333334]
 [0.33333334 0.33333334 0.33333334]]  f32[2, 3]'
for folder in / elsewhere "$at/share"; do
    is_str "$(cd "$folder" && "$at/bin/dcl" run "$OLDPWD/elsewhere/f.dcl" 2>&1)" "$want" \
        "the program from ${folder#"$PWD"}"
done
is_str "$("$at/bin/dcl" --version)" "$("$DCL" --version)" "its version"
mv "$at/share/dcl/stdlib" "$at/share/dcl/away"
out=$("$at/bin/dcl" run elsewhere/f.dcl 2>&1)
if [ -d "$DCL_PREFIX/share/dcl/stdlib" ]; then
    skip "DCL is installed in $DCL_PREFIX"
else
    like "$out" "unknown name softmax" "the library in DCL that it reads is the installed one"
fi
mv "$at/share/dcl/away" "$at/share/dcl/stdlib"

# --- the library, with the flags of dcl.pc -----------------------------------------------------

pc=$at/lib/pkgconfig/dcl.pc
like "$(cat "$pc")" "^prefix=$DCL_PREFIX\$" "dcl.pc: the prefix as configured"
like "$(cat "$pc")" "^Version: $DCL_VERSION\$" "dcl.pc: the version"

# Without pkg-config, by hand: variables put in, the line read.
field() {
    sed -n "s/^$1: //p" "$pc" | sed -e "s|\${includedir}|$at/include|" -e "s|\${libdir}|$at/lib|g"
}
sed -n 's/^    //p' "$DCL_SRC/include/README.md" | sed '/^cc /d' >program.c
by_hand="$(field Cflags) $(field Libs)"
ok "the program of include/README.md compiles by dcl.pc" quietly $CC $DCL_CFLAGS -o program \
    program.c $by_hand
is_str "$(cd / && "$OLDPWD/program" 2>&1)" "2 4 6" "and runs from another folder"
if command -v pkg-config >/dev/null; then
    ok "pkg-config reads dcl.pc" quietly env PKG_CONFIG_PATH="$at/lib/pkgconfig" \
        pkg-config --validate dcl
    flags=$(PKG_CONFIG_PATH=$at/lib/pkgconfig \
        pkg-config --define-variable=prefix="$at" --cflags --libs dcl)
    is_str "$(echo $flags)" "$(echo $by_hand)" "and gives the same flags"
else
    skip "pkg-config is not installed"
fi
if [ -n "$DCL_ASAN" ]; then
    skip "Python needs the sanitizers' library first"
else
    script="import dcl; print(dcl.compile('fn f(x: i64) -> i64 { x + 1 }').f(2))"
    is_str "$(cd / && PYTHONPATH=$DCL_SRC/examples/python DCL_LIB=$at/lib/libdcl.so \
        "$PYTHON" -c "$script" 2>&1)" 3 "the installed library from Python"
fi

ok "make uninstall" quietly $make -C "$DCL_BUILD" uninstall DESTDIR="$root"
is_str "$(find "$root" ! -type d)" "" "no file is left"
done_testing
