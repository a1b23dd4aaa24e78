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
