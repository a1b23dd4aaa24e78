//! Books of xiangqi against slow references.

use crate::samples::Random;
use crate::tests::{random_positions, write};
use crate::{Book, BuildOptions, Builder, Error, Filter, Frame, Frames, Grown, TreeOptions, Work, delete, prune};
use games::xiangqi::{Board, Fen};
use games::{Game, Move, Rules, Side, Size, Step, Symmetry};
use record::{
    BoardText, Comment, Continuation, Entry, FEN, Head, Key, Note, Outcome, Pieces, Play, Record, Score, Tally,
    TreeBuilder,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

fn frame(symmetric: bool) -> Frame {
    Frame::new(Game::Xiangqi, Size::XIANGQI, symmetric)
}

fn mirrored(step: Step) -> Step {
    let point = |point| Symmetry::Mirror.apply(point, Size::XIANGQI);
    Step { from: point(step.from), to: point(step.to) }
}

/// What is the same of a position and its image in a mirror.
fn class(board: &Board) -> String {
    let text = |board: &Board| Fen::from(board.clone()).to_string();
    text(board).min(text(&board.mirror()))
}

#[test]
fn a_key_is_shared_by_a_position_and_its_mirror_image_and_by_no_other() {
    let mut random = Random(21);
    let (joined, apart) = (frame(true), frame(false));
    let mut classes: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    for _ in 0..2000 {
        let mut board = random.pieces();
        if random.below(2) == 0 {
            board.set_to_move(board.to_move().other());
        }
        let key = Key::from(board.clone());
        let form = joined.canonical(&key);
        assert_eq!(form.key, joined.canonical(&board.mirror().into()).key);
        assert_eq!(joined.key(&form.key), Some(key.turned(form.symmetry())));
        assert_eq!(form.symmetries.len(), if board == board.mirror() { 2 } else { 1 });
        assert_eq!(*classes.entry(form.key).or_insert_with(|| class(&board)), class(&board));
        assert_eq!(apart.key(&apart.canonical(&key).key), Some(key));
    }
    let mut different: Vec<&String> = classes.values().collect();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), classes.len());
}

#[test]
fn each_move_has_a_number_of_its_own() {
    let frame = frame(true);
    let steps = (0..1 << 14).filter_map(Step::unpack).map(Move::Step);
    let mut seen = vec![false; frame.places() as usize + 1];
    for play in steps.chain([Move::Pass]) {
        let place = frame.place(play);
        assert!(!std::mem::replace(&mut seen[place as usize], true));
        assert_eq!(frame.play(place).ok(), Some(play));
    }
    assert!(seen.into_iter().all(|seen| seen));
    assert!(frame.play(8101).is_err());
}

#[test]
fn bytes_that_are_no_key_of_xiangqi_name_no_position() {
    let frame = frame(true);
    // A key may hold any pieces; numbers above 13, a board that is not 9 by 10 and a fourth turn are none.
    assert!(frame.key(&[4, 9, 10, 2 + 13, 0]).is_some());
    for bytes in [&[4, 9, 10, 2 + 14, 0][..], &[4, 9, 10, 2, 2], &[4, 10, 9, 2, 0], &[3, 9, 10, 2, 0], &[5, 9, 10, 0]] {
        assert_eq!(frame.key(bytes), None, "{bytes:?}");
    }
    assert_eq!(crate::board(&[4, 15, 15]), None);
    assert_eq!(crate::board(&[4, 9, 10]), Some((Rules::Xiangqi, Size::XIANGQI)));
}

/// A game of random moves, now and then from another start or its mirror image.
fn game(random: &mut Random) -> Record {
    let mut board = if random.below(3) == 0 { random.pieces() } else { Board::start() };
    let mut head = Head { game: Game::Xiangqi, size: Size::XIANGQI, ..Head::default() };
    if board != Board::start() {
        head.tags.push((FEN.into(), Fen::from(board.clone()).to_string()));
    }
    head.result = [Some(Outcome::First), Some(Outcome::Draw), Some(Outcome::Second), None][random.below(4) as usize];
    let mut builder = TreeBuilder::new();
    for depth in 1..=random.below(30) as usize {
        let moves: Vec<Step> = board.moves().collect();
        if moves.is_empty() {
            break;
        }
        // Few moves, so that games meet and go in circles.
        let step = moves[random.below(3.min(moves.len() as u64)) as usize];
        builder.append(depth, board.to_move(), Play::Move(Move::Step(step))).unwrap();
        board.play(step).unwrap();
    }
    Record { head, tree: builder.build() }
}

type Slow = BTreeMap<String, (Tally, BTreeMap<String, Tally>)>;

/// The positions of games by their FEN, each with its moves, of which mirror images are one as those of positions are.
fn slow(games: &[Record], symmetric: bool) -> Slow {
    let mut positions = Slow::new();
    for game in games {
        let one = Tally {
            games: 1,
            first: (game.head.result == Some(Outcome::First)).into(),
            draws: (game.head.result == Some(Outcome::Draw)).into(),
            second: (game.head.result == Some(Outcome::Second)).into(),
        };
        let start = game.head.fen().unwrap_or("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1");
        let mut board = Fen::read(start, Default::default()).unwrap().0.board;
        let mut seen = Vec::new();
        let mut steps = game.tree.main_line().map(|node| match game.tree.play(node) {
            Play::Move(Move::Step(step)) => step,
            other => panic!("{other:?}"),
        });
        loop {
            let name = if symmetric { class(&board) } else { Fen::from(board.clone()).to_string() };
            let step = steps.next();
            let is_new = !seen.contains(&name);
            let (tally, moves) = positions.entry(name.clone()).or_default();
            if is_new {
                tally.add(one);
            }
            seen.push(name.clone());
            let Some(step) = step else { break };
            let shown = |step: Step| step.to_string();
            let play = match Fen::from(board.clone()).to_string() == name {
                _ if symmetric && board == board.mirror() => shown(step).min(shown(mirrored(step))),
                true => shown(step),
                false => shown(mirrored(step)),
            };
            moves.entry(play).or_default().add(if is_new { one } else { Tally::default() });
            board.play(step).unwrap();
        }
    }
    positions
}

fn built(games: &[Record], symmetric: bool) -> Book<Vec<u8>> {
    let mut builder = Builder::new(BuildOptions { symmetric, min_plies: 0, ..BuildOptions::default() });
    games.iter().for_each(|game| builder.add(game, Rules::Xiangqi).unwrap());
    assert_eq!(builder.counts().games, games.len() as u64);
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    let book = Book::open(bytes).unwrap();
    book.verify().unwrap();
    book
}

/// A book in the words of the slow reference.
fn told(book: &Book<Vec<u8>>, symmetric: bool) -> Slow {
    let frame = frame(symmetric);
    let mut told = Slow::new();
    for each in book.entries() {
        let (key, entry) = each.unwrap();
        let board = frame.key(&key).unwrap();
        let board = board.pieces().unwrap();
        let name = if symmetric { class(board) } else { Fen::from(board.clone()).to_string() };
        let is_named = Fen::from(board.clone()).to_string() == name;
        let mut moves: BTreeMap<String, Tally> = BTreeMap::new();
        for Continuation { play, tally } in entry.moves {
            let Move::Step(step) = play else { panic!("{play:?}") };
            let images = [step, mirrored(step)].map(|step| step.to_string());
            let name = match is_named {
                _ if symmetric && *board == board.mirror() => images[0].clone().min(images[1].clone()),
                true => images[0].clone(),
                false => images[1].clone(),
            };
            assert_eq!(moves.insert(name, tally), None);
        }
        assert_eq!(told.insert(name, (entry.tally, moves)), None);
    }
    told
}

#[test]
fn a_book_of_games_is_what_counting_them_slowly_gives() {
    let mut random = Random(22);
    for symmetric in [true, false] {
        for _ in 0..20 {
            let games: Vec<Record> = (0..40).map(|_| game(&mut random)).collect();
            let book = built(&games, symmetric);
            assert_eq!(told(&book, symmetric), slow(&games, symmetric));
        }
    }
}

#[test]
fn an_answer_has_the_moves_of_the_position_as_it_was_asked() {
    let mut random = Random(23);
    let games: Vec<Record> = (0..200).map(|_| game(&mut random)).collect();
    let book = built(&games, true);
    let frame = frame(true);
    let counted = slow(&games, true);
    let mut asked = 0;
    for each in book.entries() {
        let (key, entry) = each.unwrap();
        let known = frame.key(&key).unwrap();
        let known = known.pieces().unwrap().clone();
        for board in [known.clone(), known.mirror()] {
            let answer = book.ask(&board.clone().into(), &frame).unwrap().unwrap();
            assert_eq!(answer.entry.tally, counted[&class(&board)].0);
            assert_eq!(answer.moves.len(), entry.moves.len());
            for each in &answer.moves {
                let Move::Step(step) = each.play else { panic!("{:?}", each.play) };
                assert!(board.is_legal(step), "{step}");
                asked += 1;
            }
        }
    }
    assert!(asked > 1000, "{asked}");
}

#[test]
fn values_are_those_of_the_positions_after_the_moves_listed_or_not() {
    let board = Board::start();
    let step = Step::from_text("h2e2").unwrap();
    let mut after = board.clone();
    after.play(step).unwrap();
    let judgement = record::Judgement {
        value: -35,
        bound: record::Bound::Exact,
        depth: 9,
        nodes: None,
        scale: 200,
        source: "it".into(),
    };
    for is_listed in [true, false] {
        let mut builder = Builder::new(BuildOptions::default());
        let listed = is_listed.then_some(Continuation { play: Move::Step(step), tally: Tally::default() });
        let first = Entry { moves: listed.into_iter().collect(), ..Entry::default() };
        builder.add_entry(&board.clone().into(), first).unwrap();
        // The mirror image is told, and the position itself is asked about.
        let second = Entry { judgement: Some(judgement.clone()), ..Entry::default() };
        builder.add_entry(&after.mirror().into(), second).unwrap();
        let mut bytes = Vec::new();
        builder.finish(&mut bytes, "").unwrap();
        let book = Book::open(bytes).unwrap();
        let answer = book.ask(&board.clone().into(), &frame(true)).unwrap().unwrap();
        let values: Vec<_> = answer.moves.iter().map(|each| (each.play, each.value())).collect();
        // Of two moves that are mirror images the one further to the right is named.
        assert_eq!(values, [(Move::Step(step), Some(35))], "{is_listed}");
    }
}

#[test]
fn a_position_is_deleted_with_the_moves_to_it_that_nobody_played() {
    let board = Board::start();
    let steps = ["h2e2", "b2e2", "c3c4"].map(|text| Step::from_text(text).unwrap());
    let mut builder = Builder::new(BuildOptions::default());
    let moves = steps.map(|step| Continuation { play: Move::Step(step), tally: Tally::default() }).to_vec();
    builder.add_entry(&board.clone().into(), Entry { moves, ..Entry::default() }).unwrap();
    let mut after = board.clone();
    after.play(steps[0]).unwrap();
    builder.add_entry(&after.clone().into(), Entry::default()).unwrap();
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    let book = Book::open(bytes).unwrap();
    let mut less = Vec::new();
    let written = delete(&book, &after.mirror().into(), &mut less, "").unwrap();
    assert_eq!(written.positions, 1);
    let less = Book::open(less).unwrap();
    let answer = less.ask(&board.into(), &frame(true)).unwrap().unwrap();
    assert_eq!(answer.moves.len(), 1);
    assert_eq!(less.ask(&after.into(), &frame(true)).unwrap(), None);
}

/// The board of a name.
fn board_of(name: &str) -> Board {
    Fen::read(name, Default::default()).unwrap().0.board
}

/// The names of what the moves of each position lead to.
fn links(positions: &Slow) -> BTreeMap<&str, Vec<String>> {
    let after = |name: &str, step: &String| {
        let mut board = board_of(name);
        board.play(Step::from_text(step).unwrap()).unwrap();
        class(&board)
    };
    let of = |(name, (_, moves)): (&'_ String, &(Tally, BTreeMap<String, Tally>))| {
        moves.keys().map(|step| after(name, step)).collect()
    };
    positions.iter().map(|each| (each.0.as_str(), of(each))).collect()
}

fn names(book: &Book<Vec<u8>>) -> BTreeSet<String> {
    told(book, true).into_keys().collect()
}

#[test]
fn what_stays_and_what_is_below_are_what_a_slow_search_finds() {
    let mut random = Random(26);
    let (stop, folder) = (AtomicBool::new(false), std::env::temp_dir());
    let work = Work { folder: &folder, stop: &stop };
    for _ in 0..20 {
        let games: Vec<Record> = (0..60).map(|_| game(&mut random)).collect();
        let book = built(&games, true);
        let positions = slow(&games, true);
        let links = links(&positions);
        let mut kept: BTreeSet<String> =
            positions.iter().filter(|(_, (tally, _))| tally.games > 1).map(|(name, _)| name.clone()).collect();
        loop {
            let more: Vec<String> = links
                .iter()
                .filter(|(name, next)| !kept.contains(**name) && next.iter().any(|next| kept.contains(next)))
                .map(|(name, _)| (*name).to_owned())
                .collect();
            if more.is_empty() {
                break;
            }
            kept.extend(more);
        }
        let mut bytes = Vec::new();
        let filter = Filter { min_games: 2, ..Filter::default() };
        prune(&book, &filter, &[], true, work, &mut bytes, "").unwrap();
        let pruned = Book::open(bytes).unwrap();
        assert_eq!(names(&pruned), kept);
        for (name, (_, moves)) in told(&pruned, true) {
            let stay = links[name.as_str()].iter().filter(|next| kept.contains(*next)).count();
            assert_eq!(moves.len(), stay);
        }

        let roots: Vec<String> = positions.keys().cloned().collect();
        let mut root = board_of(&roots[random.below(roots.len() as u64) as usize]);
        let is_absent = random.below(3) == 0;
        if is_absent {
            root.set_to_move(root.to_move().other());
        }
        let mut below = BTreeSet::from([class(&root)]);
        if !positions.contains_key(&class(&root)) {
            below.extend(root.moves().map(|step| {
                let mut next = root.clone();
                next.play(step).unwrap();
                class(&next)
            }));
        }
        loop {
            let next: BTreeSet<String> =
                below.iter().flat_map(|name| links.get(name.as_str()).cloned().unwrap_or_default()).collect();
            let before = below.len();
            below.extend(next);
            if below.len() == before {
                break;
            }
        }
        below.retain(|name| positions.contains_key(name));
        let found = crate::below(&book, &root.mirror().into(), work).unwrap();
        let frame = frame(true);
        let told: BTreeSet<String> = (0..)
            .zip(book.entries())
            .filter(|(number, _)| found.has(*number))
            .map(|(_, each)| class(frame.key(&each.unwrap().0).unwrap().pieces().unwrap()))
            .collect();
        assert_eq!(told, below);
    }
}

fn grown(book: &Book<Vec<u8>>, options: &TreeOptions) -> Grown {
    let stop = AtomicBool::new(false);
    let mut trees = book.trees(options, &stop).unwrap();
    let grown = trees.next().unwrap().unwrap();
    assert!(trees.next().is_none());
    grown
}

/// How often each position stands in a tree.
fn places(record: &Record) -> BTreeMap<String, usize> {
    let mut pieces = Pieces::new(&record.head).unwrap();
    let mut places = BTreeMap::new();
    for (depth, node) in record.tree.walk() {
        pieces.back_to(depth);
        if let Play::Move(Move::Step(step)) = record.tree.play(node) {
            assert!(pieces.board().is_legal(step));
        }
        if depth > 0 {
            pieces.enter(record.tree.play(node));
        }
        *places.entry(class(pieces.board())).or_default() += 1;
    }
    places
}

#[test]
fn a_tree_has_each_position_that_the_start_leads_to_once() {
    let mut random = Random(27);
    for _ in 0..20 {
        let games: Vec<Record> = (0..60).map(|_| game(&mut random)).collect();
        let book = built(&games, true);
        let positions = slow(&games, true);
        let links = links(&positions);
        let start = class(&Board::start());
        let mut reached = BTreeSet::from([start.as_str()]);
        let mut waiting = vec![start.as_str()];
        while let Some(name) = waiting.pop() {
            for next in links.get(name).into_iter().flatten() {
                if reached.insert(next) {
                    waiting.push(next);
                }
            }
        }
        let moves: usize = reached.iter().map(|name| links[name].len()).sum();

        let Grown { record, counts, unsaid } = grown(&book, &TreeOptions::default());
        let found = places(&record);
        assert!(found.keys().map(String::as_str).eq(reached.iter().copied()));
        assert!(found.values().all(|times| *times == 1));
        assert_eq!(counts.positions as usize, reached.len());
        assert_eq!(counts.transposed as usize, moves - (reached.len() - 1));
        let unreached =
            unsaid.iter().find(|unsaid| unsaid.what.starts_with("positions that no line")).map(|it| it.count);
        assert_eq!(unreached.unwrap_or(0) as usize, positions.len() - reached.len());
        // The first move of each position is one of most games.
        let frame = frame(true);
        let mut pieces = Pieces::new(&record.head).unwrap();
        for (depth, node) in record.tree.walk() {
            pieces.back_to(depth);
            if depth > 0 {
                pieces.enter(record.tree.play(node));
            }
            let answer = book.ask(&pieces.board().clone().into(), &frame).unwrap().unwrap();
            if let Some(child) = record.tree.first_child(node) {
                let Play::Move(Move::Step(step)) = record.tree.play(child) else { panic!() };
                let games = |step: Step| {
                    answer.moves.iter().find(|each| each.play == Move::Step(step)).map(|each| each.tally.games)
                };
                let first = games(step).or(games(mirrored(step))).unwrap();
                for child in record.tree.children(node) {
                    let Play::Move(Move::Step(other)) = record.tree.play(child) else { panic!() };
                    assert!(games(other).or(games(mirrored(other))).unwrap() <= first);
                }
            }
        }

        let linked = grown(&book, &TreeOptions { links: true, ..TreeOptions::default() });
        assert_eq!(linked.record.tree.len(), 1 + moves);
        let lines = linked.record.tree.nodes().filter_map(|node| linked.record.tree.line(node));
        assert_eq!(lines.filter(|line| line.starts_with('=')).count() as u64, counts.transposed);
        let few = grown(&book, &TreeOptions { max_ply: 3, ..TreeOptions::default() });
        assert_eq!(few.record.tree.walk().map(|(depth, _)| depth).max(), Some(3));
    }
}

#[test]
fn what_is_known_of_a_position_stands_at_its_node() {
    let mut random = Random(28);
    let mut board = Board::start();
    let steps = ["b2e2", "b9c7"].map(|text| Step::from_text(text).unwrap());
    // Positions alone, without the moves between them, told in either image.
    let mut builder = Builder::new(BuildOptions::default());
    for (at, step) in steps.into_iter().enumerate() {
        board.play(step).unwrap();
        let told = if random.below(2) == 0 { board.clone() } else { board.mirror() };
        let (point, e9) = (games::Point::new(0, 0).unwrap(), games::Point::new(8, 0).unwrap());
        let judgement = record::Judgement {
            value: 10 * at as i32 + 5,
            bound: record::Bound::None,
            depth: 3,
            nodes: None,
            scale: 200,
            source: String::new(),
        };
        let text = |point| BoardText { point, text: "A".into(), bytes: Vec::new(), written: Symmetry::Identity };
        let texts = vec![text(if told == board { point } else { e9 })];
        let comment = Comment { text: format!("ply {at}"), bytes: Vec::new(), written: Symmetry::Identity };
        let entry = Entry { judgement: Some(judgement), texts, comments: vec![comment], ..Entry::default() };
        builder.add_entry(&told.into(), entry).unwrap();
    }
    let mut bytes = Vec::new();
    builder.finish(&mut bytes, "").unwrap();
    let book = Book::open(bytes).unwrap();
    let record = grown(&book, &TreeOptions::default()).record;
    let tree = &record.tree;
    let line: Vec<_> = tree.main_line().collect();
    // The mirrored line is as good as the one that was told, and what stands on a corner goes with it.
    assert_eq!(line.len(), 2);
    assert_eq!(tree.line(line[0]), Some("ply 0"));
    assert_eq!(tree.line(line[1]), Some("ply 1"));
    let corner =
        tree.notes(line[1]).find_map(|note| if let Note::Label(point, _) = note { Some(point.x()) } else { None });
    let is_told = tree.play(line[0]) == Play::Move(Move::Step(steps[0]));
    assert_eq!(corner, Some(if is_told { 0 } else { 8 }));
    let value =
        tree.notes(line[0]).find_map(|note| if let Note::Value(value) = note { Some(value.score) } else { None });
    assert_eq!(value, Some(Score::Points(-5)));
}

#[test]
fn what_is_for_gomoku_alone_says_so() {
    let games = [game(&mut Random(24))];
    let book = built(&games, true);
    let (stop, folder) = (AtomicBool::new(false), std::env::temp_dir());
    let work = Work { folder: &folder, stop: &stop };
    // Nobody knows how many plies lead to a position of xiangqi.
    let filter = Filter { max_stones: 10, ..Filter::default() };
    assert!(matches!(prune(&book, &filter, &[], false, work, std::io::sink(), ""), Err(Error::Gomoku)));
}

#[test]
fn positions_of_both_games_stand_in_one_book() {
    let positions = random_positions(25, 600, true);
    let of = |game: Game| positions.keys().filter(|key| crate::board(key).unwrap().0.game() == game).count();
    assert!(of(Game::Gomoku) > 100 && of(Game::Xiangqi) > 50);
    let book = Book::open(write(&positions, true)).unwrap();
    book.verify().unwrap();
    // Keys of a board of gomoku of nine columns and ten rows are others.
    let stones = record::StoneKey {
        rule: games::Rule::Freestyle,
        size: Size::XIANGQI,
        to_move: Side::First,
        stones: Vec::new(),
    };
    let mut frames = Frames::new(true);
    let empty = frames.of_stones(&stones).canonical_stones(&stones).key;
    let pieces = frames.of_key(&Board::empty().into()).canonical(&Board::empty().into()).key;
    assert_ne!(empty, pieces);
}
