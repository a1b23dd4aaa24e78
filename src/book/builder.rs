use crate::bytes::put;
use crate::combine::listed;
use crate::frame::Canonical;
use crate::played::{GameList, Played};
use crate::runs::Sorter;
use crate::stance::{Entered, Stance};
use crate::verdicts::verdicts;
use crate::{Error, Frame, Frames, Holds, Writer, Written, in_order, row};
use games::{Move, Point, Rules, Side, Size, Symmetry};
use record::{
    BoardText, Bound, Comment, Date, Entry, Judgement, Key, LabelKind, Labels, NodeId, Note, Outcome, Part, Play,
    Ratings, Record, Score, Tally, Tree, Value, is_walkover, ratings, same_game,
};
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// How a book is made of records.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Make mirrored and turned positions one.
    pub symmetric: bool,
    /// Games of fewer plies do not count.
    pub min_plies: usize,
    /// Count games of the same moves and result once: up to symmetry, if positions are.
    pub dedupe: bool,
    /// Leave out what is deeper.
    pub max_ply: usize,
    /// Keep comments and texts on points.
    pub texts: bool,
    /// Which board texts are read as labels and values of the positions that moves on their points lead to. They stay
    /// texts, too.
    pub labels: Labels,
    /// References to games at each position; none are kept, and no list of games, if it is 0.
    pub game_refs: usize,
    /// Bytes to hold before they go to files.
    pub memory: usize,
    /// Where those files go; they have no names where the system allows that.
    pub folder: PathBuf,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            symmetric: true,
            min_plies: 10,
            dedupe: false,
            max_ply: usize::MAX,
            texts: true,
            labels: Labels::none(),
            game_refs: 0,
            memory: 1 << 30,
            folder: std::env::temp_dir(),
        }
    }
}

/// What became of the records.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Records read.
    pub records: u64,
    /// Those whose main line was counted as a game.
    pub games: u64,
    /// Those that would have been, but for their length.
    pub short: u64,
    /// Short ones that say that they were won without being played.
    pub walkovers: u64,
    /// Those that would have been, but for a game of the same moves and result before them.
    pub again: u64,
    /// Those that hold no game: trees without a result, and games that do not count.
    pub trees: u64,
    /// Board texts that were read as labels or values, by the kinds of [`LabelKind::ALL`]; if none were to be, those that
    /// [`Labels::rapfi`] would read.
    pub labels: [u64; LabelKind::ALL.len()],
    /// Records of xiangqi left out because their tag FEN cannot be read.
    pub startless: u64,
    /// Branches left out because they put a stone on a stone.
    pub on_stones: u64,
    /// Times of moves, signs on points, marks and what else a book has no place for.
    pub unkept: u64,
}

/// Makes a book of records, in bounded memory.
pub struct Builder {
    options: BuildOptions,
    frames: Frames,
    sorter: Sorter,
    /// Numbers of the games that were counted: 20 to 40 bytes each.
    seen: HashSet<u128>,
    games: GameList,
    /// The name of the file that is read, and the number of its record added last.
    file: String,
    record: u64,
    counts: Counts,
    /// Positions came without moves.
    unlisted: bool,
    /// The board of the record before, and what was needed to walk through it.
    walker: Option<Walker>,
}

/// Where a walk through a tree is, and room for what is made of it.
struct Walker {
    stance: Stance,
    form: Canonical,
    passed: Passed,
    /// The places of the moves from a position, and their games.
    moves: Vec<(u64, Tally)>,
    row: Vec<u8>,
}

impl Walker {
    fn new(frame: Arc<Frame>) -> Walker {
        let stance = Stance::new(frame);
        Walker { stance, form: Canonical::EMPTY, passed: Passed::default(), moves: Vec::new(), row: Vec::new() }
    }
}

/// The positions of a game so far.
#[derive(Default)]
struct Passed {
    keys: Vec<u8>,
    /// Of each position how many stones it has, and where its key ends.
    each: Vec<(usize, usize)>,
    most_stones: usize,
}

impl Passed {
    /// Adds a position; false if it was there before.
    fn add(&mut self, stones: usize, key: &[u8]) -> bool {
        // Only what takes stones away, or leaves them as they are, leads to a position again.
        if stones <= self.most_stones {
            let mut start = 0;
            for &(others, end) in &self.each {
                if others == stones && self.keys[start..end] == *key {
                    return false;
                }
                start = end;
            }
        }
        self.most_stones = self.most_stones.max(stones);
        self.keys.extend(key);
        self.each.push((stones, self.keys.len()));
        true
    }

    fn clear(&mut self) {
        self.keys.clear();
        self.each.clear();
        self.most_stones = 0;
    }
}

impl Builder {
    /// A book without positions.
    pub fn new(options: BuildOptions) -> Builder {
        let mut sorter = Sorter::new(options.symmetric, options.memory, &options.folder);
        sorter.keep_games(options.game_refs);
        // The list grows far slower than the positions do.
        let games = GameList::new((options.memory / 8).max(1 << 20), &options.folder);
        Builder {
            frames: Frames::new(options.symmetric),
            options,
            sorter,
            seen: HashSet::new(),
            games,
            file: String::new(),
            record: 0,
            counts: Counts::default(),
            unlisted: false,
            walker: None,
        }
    }

    /// The name of the file that the next records come from, as references to games name it.
    pub fn begin_file(&mut self, name: &str) {
        self.file = name.into();
        self.record = 0;
    }

    /// Counts a record of the file that is not added.
    pub fn pass_over(&mut self) {
        self.record += 1;
    }

    /// What was added so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Adds all positions of a record under rules of its game; the moves of xiangqi are bound and legal.
    ///
    /// The main line is a game if the record has a result or no branches: it counts once for each position in it.
    /// Games below the least number of plies add nothing but what is written at their positions.
    pub fn add(&mut self, record: &Record, rules: impl Into<Rules>) -> Result<(), Error> {
        let rules = rules.into();
        debug_assert_eq!(record.head.game, rules.game());
        self.counts.records += 1;
        self.record += 1;
        let size = record.head.size;
        let game = rules.game();
        let is_it = |frame: &Frame| frame.game() == game && frame.size() == size;
        let known = self.walker.take().filter(|walker| is_it(walker.stance.frame()));
        let mut walker = known.unwrap_or_else(|| Walker::new(self.frames.shared(game, size).clone()));
        let walked = match walker.stance.begin(&record.head) {
            Ok(()) => self.walk(record, rules, &mut walker),
            Err(_) => {
                self.counts.startless += 1;
                Ok(())
            }
        };
        self.walker = Some(walker);
        walked
    }

    fn walk(&mut self, record: &Record, rules: Rules, walker: &mut Walker) -> Result<(), Error> {
        let Walker { stance, form, passed, moves, row } = walker;
        let tree = &record.tree;
        let kind = self.kind(record, rules);
        let facts = Facts::of(record);
        let refers_to = self.refer_to(record, rules, kind)?;
        let mut line = tree.main_line().peekable();
        passed.clear();
        let mut counted = Tally::default();
        for (depth, node) in tree.walk() {
            let on_line = node == NodeId::ROOT || line.next_if_eq(&node).is_some();
            match stance.enter(tree, depth, node) {
                Entered::Position => {}
                Entered::OnStone => {
                    self.counts.on_stones += 1;
                    continue;
                }
                Entered::Below => continue,
            }
            if depth > self.options.max_ply {
                continue;
            }
            stance.form(rules, form);
            let mut entry = Entry::default();
            if let Line::Game(tally) = kind
                && on_line
            {
                if passed.add(stance.stones(), &form.key) {
                    counted = tally;
                    let games = refers_to.into_iter().collect();
                    entry = Entry { tally, ratings: facts.ratings, last_year: facts.year, games, ..entry };
                } else if matches!(tree.play(node), Play::Move(_)) {
                    counted = Tally::default();
                }
            }
            moves.clear();
            for (point, key, entry) in
                verdicts(tree, node, stance, rules, &self.options.labels, &mut self.counts.labels)
            {
                if depth < self.options.max_ply {
                    row.clear();
                    row::put_row(row, &entry, stance.frame());
                    self.sorter.push(&key, row)?;
                    // The move is known by what is said of it, even if nobody played it.
                    let place = stance.frame().place(Move::Place(stance.frame().stored_point(form, point)));
                    moves.extend((kind != Line::Uncounted).then_some((place, Tally::default())));
                }
            }
            if depth < self.options.max_ply && kind != Line::Uncounted {
                let next = line.peek().copied().filter(|_| on_line);
                let tally = |child| if next == Some(child) { counted } else { Tally::default() };
                let place = |child| place_of(tree, child, stance, form);
                moves.extend(tree.children(node).filter_map(|child| Some((place(child)?, tally(child)))));
                moves.sort_by_key(|(place, _)| *place);
                moves.dedup_by(|later, kept| {
                    let same = later.0 == kept.0;
                    if same {
                        kept.1.add(later.1);
                    }
                    same
                });
            }
            self.counts.unkept += notes(tree, node, form, stance.to_move(), &mut entry);
            if self.options.texts {
                board_texts(tree, node, form, stance.frame().size(), &mut entry);
            } else {
                entry.comments.clear();
                entry.texts.clear();
            }
            if kind == Line::Uncounted && entry == Entry::default() {
                continue;
            }
            if listed(&entry) > 1 {
                in_order(&mut entry, stance.frame());
            }
            row.clear();
            row::put_tally(row, entry.tally);
            put(row, moves.len() as u64);
            for (place, tally) in &*moves {
                put(row, *place);
                row::put_tally(row, *tally);
            }
            row::put_rest(row, &entry, stance.frame());
            self.sorter.push(&form.key, row)?;
        }
        Ok(())
    }

    /// Adds what another book or database knows of a position; its points and orientations are those of `key`.
    pub fn add_entry(&mut self, key: &Key, mut entry: Entry) -> Result<(), Error> {
        self.unlisted |= entry.moves.is_empty() && entry.tally.games == 0;
        let frame = self.frames.of_key(key);
        let form = frame.canonical(key);
        let symmetry = form.symmetry();
        let rest = entry.rest.iter_mut().filter_map(|rest| rest.play.as_mut());
        for play in entry.moves.iter_mut().map(|continuation| &mut continuation.play).chain(rest) {
            *play = frame.stored(&form, *play);
        }
        if self.options.texts {
            // What no board of this shape was turned by stands as it was written.
            let known = |before| if frame.allows(before) { before } else { Symmetry::Identity };
            let written = |before: Symmetry| symmetry.inverse().then(known(before));
            for comment in &mut entry.comments {
                comment.written = written(comment.written);
            }
            for text in &mut entry.texts {
                text.point = symmetry.apply(text.point, frame.size());
                text.written = written(text.written);
            }
        } else {
            entry.comments.clear();
            entry.texts.clear();
        }
        in_order(&mut entry, frame);
        let mut row = Vec::new();
        row::put_row(&mut row, &entry, frame);
        self.sorter.push(&form.key, &row)
    }

    /// Writes the book; where it comes from is told by lines of name, tab, value.
    pub fn finish(self, out: impl Write, provenance: &str) -> Result<Written, Error> {
        let mut writer = Writer::new(out, self.options.symmetric)?;
        writer.hold(Holds { unlisted: self.unlisted, ..Holds::default() });
        let mut positions = self.sorter.finish()?;
        while let Some((key, row)) = positions.next()? {
            writer.push_row(key, row)?;
        }
        let refs = self.options.game_refs as u64;
        let games = if refs > 0 { Some((refs, self.games.finish()?)) } else { None };
        writer.finish_with(games, provenance)
    }

    /// Puts a game that counts into the list, and answers with its number there, if positions are to refer to it.
    fn refer_to(&mut self, record: &Record, rules: Rules, kind: Line) -> Result<Option<u64>, Error> {
        if self.options.game_refs == 0 || !matches!(kind, Line::Game(_)) {
            return Ok(None);
        }
        let played = Played::of(record, &self.file, self.record);
        let id = played.id(record, rules, self.options.symmetric);
        let mut row = Vec::new();
        played.put(&mut row);
        self.games.push(id, row)?;
        Ok(Some(id))
    }

    /// What a record's main line is, which is counted.
    fn kind(&mut self, record: &Record, rules: Rules) -> Line {
        let tree = &record.tree;
        let has_branches = || tree.nodes().any(|node| tree.next_sibling(node).is_some());
        let mut tally = Tally { games: 1, ..Tally::default() };
        match record.head.result {
            Some(Outcome::First) => tally.first = 1,
            Some(Outcome::Draw) => tally.draws = 1,
            Some(Outcome::Second) => tally.second = 1,
            Some(Outcome::Unknown) => {}
            None if !has_branches() => {}
            None | Some(Outcome::Void) => {
                self.counts.trees += 1;
                return Line::Tree;
            }
        }
        let plies = tree.main_line().filter(|node| matches!(tree.play(*node), Play::Move(_))).count();
        if plies < self.options.min_plies {
            let count = if is_walkover(record) { &mut self.counts.walkovers } else { &mut self.counts.short };
            *count += 1;
            return Line::Uncounted;
        }
        if self.options.dedupe {
            // Another result is another game, so that it does not matter which of them comes first.
            let result = record.head.result.map_or(0, |result| 1 + result as u128);
            if !self.seen.insert(same_game(record, rules.gomoku(), self.options.symmetric) ^ result) {
                self.counts.again += 1;
                return Line::Uncounted;
            }
        }
        self.counts.games += 1;
        Line::Game(tally)
    }
}

/// What the main line of a record is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Line {
    /// A game, and how it adds to a tally.
    Game(Tally),
    /// A game that does not count: too short, or there before.
    Uncounted,
    /// One line of a tree among others.
    Tree,
}

/// What the tags of a game say for all its positions.
struct Facts {
    ratings: Ratings,
    year: Option<u16>,
}

impl Facts {
    fn of(record: &Record) -> Facts {
        let known = ratings(&record.head).into_iter().flatten();
        let ratings = known.fold(Ratings::default(), |Ratings { sum, count }, rating| Ratings {
            sum: sum + u64::from(rating),
            count: count + 1,
        });
        Facts { ratings, year: record.head.tag("Date").and_then(Date::find).map(Date::year) }
    }
}

/// The place of a child's move in the entry; `None` if it is no move, or a stone on a stone.
fn place_of(tree: &Tree, child: NodeId, stance: &Stance, form: &Canonical) -> Option<u64> {
    let frame = stance.frame();
    match tree.play(child) {
        Play::Move(Move::Place(point)) if !stance.is_free(point) => None,
        Play::Move(play) => Some(frame.place(frame.stored(form, play))),
        _ => None,
    }
}

/// Reads what is written at a node and answers how much of it a book has no place for.
fn notes(tree: &Tree, node: NodeId, form: &Canonical, to_move: Side, entry: &mut Entry) -> u64 {
    let mut unkept = u64::from(tree.is_found(node)) + u64::from(tree.is_start(node));
    for note in tree.notes(node) {
        match note {
            Note::Value(value) => entry.judgement = Some(judgement(value, to_move)),
            Note::Time(_) | Note::Mark(..) | Note::Property(..) => unkept += 1,
            Note::Text(_) if tree.play(node).point().is_none() => unkept += 1,
            Note::Bytes(Part::Text, _) => unkept += u64::from(tree.text(node).is_none_or(|text| !is_broken(text))),
            Note::Bytes(Part::Label(point), bytes) => unkept += u64::from(!is_label(tree, node, point, bytes)),
            _ => {}
        }
    }
    let parts = [(Part::Line, tree.line(node)), (Part::Body, tree.body(node))];
    let parts = parts.into_iter().filter_map(|(part, text)| Some((part, text.filter(|text| !text.is_empty())?)));
    let text = parts.clone().map(|(_, text)| text).collect::<Vec<_>>().join("\n");
    // A part without bytes of its own has those of its text only where all encodings agree.
    let bytes = parts.map(|(part, text)| tree.bytes(node, part).or(text.is_ascii().then_some(text.as_bytes())));
    let bytes = bytes.collect::<Option<Vec<_>>>().filter(|_| is_broken(&text)).map(|parts| parts.join(&8));
    if bytes.is_none() {
        let is_of_comment = |note: &Note<'_>| matches!(note, Note::Bytes(Part::Line | Part::Body, _));
        unkept += tree.notes(node).filter(is_of_comment).count() as u64;
    }
    if !text.is_empty() {
        let (bytes, written) = (bytes.unwrap_or_default(), form.symmetry().inverse());
        entry.comments.push(Comment { text, bytes, written });
    }
    unkept
}

/// Whether the text does not say what its bytes say; line ends in another style are no such thing.
fn is_broken(text: &str) -> bool {
    text.contains('\u{FFFD}')
}

/// Whether these are the bytes that are kept with the text on a point.
fn is_label(tree: &Tree, node: NodeId, point: Point, bytes: &[u8]) -> bool {
    tree.bytes(node, Part::Label(point)) == Some(bytes)
        && tree.notes(node).any(|note| matches!(note, Note::Label(on, text) if on == point && is_broken(text)))
}

/// Reads the texts on points of a node, and those that its children have on their own points of this board.
fn board_texts(tree: &Tree, node: NodeId, form: &Canonical, size: Size, entry: &mut Entry) {
    let mut add = |point, text: &str, bytes: Option<&[u8]>| {
        if size.contains(point) && !text.is_empty() {
            let written = form.symmetry().inverse();
            entry.texts.push(BoardText {
                point: form.symmetry().apply(point, size),
                text: text.into(),
                bytes: bytes.filter(|_| is_broken(text)).unwrap_or_default().into(),
                written,
            });
        }
    };
    for note in tree.notes(node) {
        if let Note::Label(point, text) = note {
            add(point, text, tree.bytes(node, Part::Label(point)));
        }
    }
    for child in tree.children(node) {
        for note in tree.notes(child) {
            if let (Note::Text(text), Some(point)) = (note, tree.play(child).point()) {
                add(point, text, tree.bytes(child, Part::Text));
            }
        }
    }
}

fn judgement(value: Value, to_move: Side) -> Judgement {
    let firsts = match value.score {
        Score::Points(points) => points,
        Score::FirstWins(plies) => 30_000 - i32::from(plies),
        Score::SecondWins(plies) => i32::from(plies) - 30_000,
    };
    Judgement {
        value: if to_move == Side::First { firsts } else { firsts.saturating_neg() },
        bound: Bound::None,
        depth: value.depth.map_or(0, |depth| i16::try_from(depth).unwrap_or(i16::MAX)),
        nodes: None,
        scale: Judgement::SCALE,
        source: String::new(),
    }
}
