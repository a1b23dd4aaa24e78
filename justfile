# Run every test that is quick.
test:
    cargo test

# Check the formatting and the lints.
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# Measure.
bench:
    cargo bench --workspace

# Run the tests that take minutes, too.
long:
    cargo test --workspace -- --include-ignored

# Run what the integration runs.
ci:
    .ci/run

# Build the manual into docs/book.
book:
    mdbook build docs

# Time whole commands: a million nodes, eleven million, and a folder of 600 files one at a time and as by default.
whole:
    cargo build --release --example make-library --bin kifu
    target/release/examples/make-library 1000000 target/million.lib
    target/release/examples/make-library 11000000 target/eleven.lib
    target/release/examples/make-library 20000 target/folder 600
    for to in lib sgf agr agx json; do command time -f "1 M .lib to .$to: %U s user, %S s system, %M KB" target/release/kifu convert target/million.lib --force -o target/out.$to 2>&1 | grep KB; done
    for to in lib sgf agr agx; do command time -f "11 M .lib to .$to: %U s user, %S s system, %M KB" target/release/kifu convert target/eleven.lib --force -o target/out.$to 2>&1 | grep KB; done
    for threads in "-j 1" ""; do command time -f "600 files $threads: %e s" target/release/kifu convert -r target/folder -t sgf $threads --force -o target/folder-out 2>&1 | grep files; done
