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

# Time books as whole commands: libraries and a million games to books, asked, verified, merged and exported.
book-whole:
    cargo build --release --example make-library --example make-games --bin kifu
    target/release/examples/make-library 1000000 target/million.lib
    target/release/examples/make-library 11000000 target/eleven.lib
    target/release/examples/make-games 1000000 target/games.sgf
    for what in million.lib eleven.lib "games.sgf --memory 128M"; do command time -f "$what to a book: %e s, %U s user, %S s system, %M KB" target/release/kifu book build target/$what --force -o target/${what%%.*}.agb 2>&1 | grep KB; done
    ls -l target/million.agb target/eleven.agb target/games.agb
    for book in million eleven games; do for position in h8 "h8 g9"; do command time -f "$book, $position: %e s, %U s user, %M KB" target/release/kifu book query target/$book.agb "$position" 2>&1 | grep KB; done; done
    command time -f "verify eleven.agb: %e s, %U s user, %M KB" target/release/kifu book verify target/eleven.agb 2>&1 | grep KB
    command time -f "merge of 12 M entries: %e s, %U s user, %M KB" target/release/kifu book merge target/million.agb target/eleven.agb --force -o target/merged.agb 2>&1 | grep KB
    for to in rapfi-csv yixin-db; do command time -f "11 M entries to $to: %e s, %U s user, %M KB" target/release/kifu book export target/eleven.agb -t $to --force -o target/exported 2>&1 | grep KB$; done
    for book in million eleven; do command time -f "$book.agb to .lib: %e s, %U s user, %M KB" target/release/kifu book export target/$book.agb -o target/out.lib --force 2>&1 | grep KB$; done

# Read a database of 70 MB: its speed, and the memory beside the file.
rif:
    cargo test -p kifu-formats --lib -- --ignored --exact --nocapture rif::tests::a_database_of_70_mb_is_a_stream

# Time work on collections as whole commands: 100,000 games in one file and in a thousand, and the games of the samples as often.
collections-whole:
    cargo build --release --example make-games --bin kifu
    target/release/examples/make-games 100000 target/hundred.sgf
    rm -rf target/many target/samples.sgf
    target/release/kifu split target/hundred.sgf -t sgf -o target/many/
    for n in $(seq 25); do cat "${KIFU_SAMPLES:-../shared}"/data/games/engine_renju15.sgf; done > target/samples.sgf
    for what in "find target/hundred.sgf" "find -r target/many" "find target/samples.sgf"; do command time -f "$what: %e s, %U s user, %M KB" target/release/kifu $what --position h8i9j10k9 > target/found.txt; done
    command time -f "counts: %e s, %U s user, %M KB" target/release/kifu stats target/samples.sgf > target/found.txt
    command time -f "doubles: %e s, %U s user, %M KB" target/release/kifu dedupe target/samples.sgf --symmetry --prefix
    command time -f "a filter: %e s, %U s user, %M KB" target/release/kifu filter target/samples.sgf --opening D4 --force -o target/filtered.sgf
    command time -f "a tree: %e s, %U s user, %M KB" target/release/kifu merge target/hundred.sgf --symmetry --force -o target/merged.lib

# Play two builds of kifu against each other at equal nodes, until one is shown to be better: just gate NEW OLD.
gate new old nodes="10000" rule="freestyle":
    {{new}} match --rule {{rule}} "{{new}} engine --protocol gomocup" "{{old}} engine --protocol gomocup" --name1 new --name2 old --nodes {{nodes}} --sprt 0 20 -j 2

# Make games for training (an hour of one processor gives some 30,000), and fit the weights of the evaluation to them.
train games="20000" nodes="4000":
    cargo build --release -p kifu-engine --example self_play --example train
    for rule in freestyle standard renju; do target/release/examples/self_play $rule 15 {{games}} {{nodes}} 1 > target/$rule.txt; done
    target/release/examples/train src/engine/weights.bin target/freestyle.txt target/standard.txt target/renju.txt | tee src/engine/weights.log

# From the games of the samples to a book with values, on real size; then what two workers gain.
learn nodes="10000":
    cargo build --release --bin kifu
    target/release/kifu book build "${KIFU_SAMPLES:-../shared}"/data/games/*.sgf --max-ply 20 --force -o target/learn.agb
    rm -f target/learned.agb target/grown.agb target/learned.agb.journal target/grown.agb.journal
    command time -f "values: %e s, %U s user, %M KB" target/release/kifu book eval target/learn.agb --max-ply 6 --nodes {{nodes}} -o target/learned.agb
    command time -f "grown: %e s, %U s user, %M KB" target/release/kifu book expand target/learned.agb --positions 1000 --each-nodes {{nodes}} -o target/grown.agb
    for workers in 1 2; do command time -f "-j $workers: %e s" target/release/kifu book eval target/learn.agb --min-ply 7 --positions 1500 --nodes {{nodes}} -j $workers --force -o target/learned-7.agb; done

# What a book is worth: grow one from a hundred even openings (some ten minutes on two processors), and play with it
# against the same engine without it, 200 games.
worth lines="11600" nodes="50000":
    cargo build --release --bin kifu
    target/release/kifu openings --rule freestyle -n 100 --plies 3..6 --max-value 30 --nodes 50000 > target/worth.openings
    target/release/kifu convert target/worth.openings -f gomocup-openings -t moves --force -o target/worth.moves
    target/release/kifu book build target/worth.moves --rule freestyle --short --force -o target/worth.agb
    rm -f target/worth-grown.agb.journal
    target/release/kifu book expand target/worth.agb $(sed 's/ //g; s/^/--position /' target/worth.moves) --positions {{lines}} --each-nodes {{nodes}} --force -o target/worth-grown.agb
    target/release/kifu match --rule freestyle --openings target/worth.openings "target/release/kifu engine --protocol gomocup --book target/worth-grown.agb" "target/release/kifu engine --protocol gomocup" --name1 book --name2 plain --nodes 10000 -j 2

# Measure what an evaluation in a book is worth, in three orders of growing it (some minutes).
regret:
    cargo run --release --example regret > target/regret.csv
