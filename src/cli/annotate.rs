use super::Exit;
use super::book::open;
use super::evaluations::{CrewArgs, EachArgs, Work};
use super::files::{Files, Wanted};
use super::input::{Input, name};
use super::journal::{Journal, beside};
use super::kind::Kind;
use super::output::{Output, failed, folder_of, refuse_existing};
use super::progress::{Bar, PROGRESS};
use super::reading::{ReadArgs, Told, forgiven};
use super::record_output::record_format;
use super::terminal::{JSON, complain, count, harmless};
use ::book::{Book, Frames};
use ::formats::{Blame, Error, Format, Losses, WriteOptions};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use engine::{Answer, Vcf, VcfOptions, verify};
use games::gomoku::{self, Three, canonical};
use games::{Coords, Game, Move, Rule, Rules, Side};
use rayon::prelude::*;
use record::annotate::{
    Judged, Known, Marks, Position, Telling, Win, first_judged, judge, piece_positions, positions, write,
};
use record::{Head, Judgement, Key, Line, NodeId, Note, Play, Question, Record, TreeBuilder, win_rate};
use serde_json::json;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

/// Positions that are evaluated together, of as many files as it takes.
const TOGETHER: usize = 1024;

/// Moves of a lost position that are told.
const DEFENCES: usize = 3;

/// Nodes to look for a victory by fours in a position.
const FOURS: u64 = 200_000;

/// Moves of a line that are told in JSON.
const SHOWN: usize = 12;

/// Judge every move of games: values, better moves, mistakes, missed wins
#[derive(Args)]
#[command(
    after_help = "Each move of the main line gets a value, and, where another was better, that move with its line; moves that
lose 10, 20 or 30 points of win rate are marked ?!, ? and ??. Wins by fours or threats that were missed or
allowed are proven. Games of xiangqi need an engine that speaks UCI or UCCI, or a book, and no mate there is proven.
In lost positions the moves that hold longest are named, with the plies. No stone is judged before the players were free (ply 6, or 7
under an opening rule of renju).

What is written is a line of the comment that begins with `kifu: ` and a value, and the value where there was none.
What stood there before stays; a second run replaces its own text and variations alone.

Examples:
  kifu annotate game.sgf -o judged.sgf
  kifu annotate -r games -o judged -t agr --each-nodes 50000 --puzzles missed.sgf
  kifu annotate game.lib -o judged.lib --book openings.agb --json
  kifu annotate game.sgf -o judged.sgf --lines 3 --variations
  kifu annotate game.pgn -o judged.agr --engine ./pikafish --protocol uci --each-nodes 100000"
)]
pub struct Annotate {
    /// Files and, with -r, folders
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Read all files in folders, too
    #[arg(short, long)]
    recurse: bool,
    /// File to write, or folder for several
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Format to write [default: told by the extension; in a folder that of each input]
    #[arg(short = 't', long = "to", value_parser = Kind::parse, value_name = "FORMAT")]
    to: Option<Kind>,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Rule where the file does not say it: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// Judge the moves from this ply on [default: 6, or 7 where the file tells a renju opening, and 1 in xiangqi]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    from_ply: Option<u16>,
    /// Losses of win rate in hundredths from which on a move is marked ?!, ? and ??
    #[arg(long, value_name = "A,B,C", value_parser = marks, default_value = "10,20,30")]
    marks: Marks,
    /// Tell so many of the best moves of each position, with their lines
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=50))]
    lines: u8,
    /// Put a better move into the tree as a variation beside the one that was played
    #[arg(long)]
    variations: bool,
    /// Take the values of this book first
    #[arg(long, value_name = "BOOK")]
    book: Option<PathBuf>,
    /// Write the positions in which a win was missed into this file, as problems
    #[arg(long, value_name = "FILE")]
    puzzles: Option<PathBuf>,
    /// Print an object for each move and each game
    #[arg(long)]
    json: bool,
    /// Notation of points where the input leaves it open
    #[arg(long, default_value = "a1")]
    coords: Coords,
    #[command(flatten)]
    each: EachArgs,
    #[command(flatten)]
    crew: CrewArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// `10,20,30`.
fn marks(text: &str) -> Result<Marks, String> {
    let numbers: Option<Vec<u8>> = text.split(',').map(|number| number.trim().parse().ok()).collect();
    let marks = numbers.and_then(|numbers| Marks::try_from(numbers).ok());
    let in_order = |marks: &Marks| marks[0] > 0 && marks.windows(2).all(|pair| pair[0] <= pair[1]) && marks[2] <= 100;
    marks.filter(in_order).ok_or_else(|| format!("`{text}` are no marks: write three rising numbers such as 10,20,30"))
}

/// What is read, what is written, and its format where that is named.
type Target<'f> = (&'f Path, PathBuf, Option<&'static Format>);

/// A file on its way.
struct File<'f> {
    source: &'f Path,
    target: PathBuf,
    format: &'static Format,
    games: Vec<Annotated>,
    told: Vec<String>,
}

/// A game on its way.
struct Annotated {
    record: Record,
    rules: Rules,
    positions: Vec<Position>,
    known: Vec<Known>,
}

/// What a player did in all games.
#[derive(Default)]
struct Player {
    games: u64,
    moves: u64,
    lost: f64,
    marked: [u64; 3],
    missed: u64,
}

impl Annotate {
    /// Reads, judges and writes file by file.
    pub fn run(self) -> Result<Exit> {
        let wanted = Wanted::Records.unless(self.read.from.is_some());
        let files = Files::list(&self.inputs, self.recurse, wanted, Some(&self.output))?;
        // What a run that was stopped has written is written again.
        let beside = beside(&self.output);
        let before = if beside.exists() { Some(Journal::open(&beside)?) } else { None };
        let may_replace = |path: &Path| self.force || before.as_ref().is_some_and(|journal| journal.has_begun(path));
        let targets = self.targets(&files, &may_replace)?;
        let puzzles = self.puzzles.as_deref().map(|path| record_format(path, None).map(|format| (path, format)));
        let puzzles = puzzles.transpose()?;
        if let Some((path, _)) = puzzles {
            refuse_existing(path, may_replace(path))?;
        }
        let book_input = self.book.as_deref().map(Input::open).transpose()?;
        let book = match (&book_input, &self.book) {
            (Some(input), Some(path)) => Some(open(input, path)?),
            _ => None,
        };
        drop(before);
        let mut work = Work::begin(&self.crew, Journal::open(&beside)?)?;
        if self.lines > 1 && !work.abilities().lines {
            complain(&format!("{} tells one move of each position: --lines finds no more", harmless(work.source())));
        }
        let mut players: BTreeMap<String, Player> = BTreeMap::new();
        let mut missed: Vec<Record> = Vec::new();
        let mut seen = HashSet::new();
        let mut exit = Exit::Done;
        let mut waiting: Vec<File<'_>> = Vec::new();
        let mut targets = targets.into_iter().peekable();
        while let Some((source, target, format)) = targets.next() {
            match self.file(source, target, format) {
                Ok(file) => waiting.push(file),
                Err(error) => {
                    if let Some(early) = Exit::early(&error) {
                        return Ok(early);
                    }
                    complain(&format!("{error:#}"));
                    exit = Exit::Failed;
                }
            }
            let asked: usize = waiting.iter().flat_map(|file| &file.games).map(|game| game.positions.len()).sum();
            if asked < TOGETHER && targets.peek().is_some() {
                continue;
            }
            self.evaluate(&mut waiting, book.as_ref(), &mut work)?;
            for file in waiting.drain(..) {
                work.journal().begin(&file.target)?;
                self.finish(file, &mut players, &mut |record, judged| {
                    if puzzles.is_some() {
                        puzzle(record, judged, &mut seen, &mut missed);
                    }
                })?;
            }
        }
        if let Some((path, format)) = puzzles {
            work.journal().begin(path)?;
            self.write(path, format, &missed, Path::new("the puzzles"))?;
        }
        let (failed, unknown) = (work.failed, work.unknown());
        if unknown > 0 {
            complain(&format!("not evaluated, as the book has no value: {}", count(unknown, "position")));
        }
        work.into_journal().remove()?;
        if !self.json && !players.is_empty() {
            self.summary(&players, missed.len())?;
        }
        Ok(if failed > 0 { Exit::Failed } else { exit })
    }

    /// What goes where.
    fn targets<'f>(&self, files: &'f Files, may_replace: &dyn Fn(&Path) -> bool) -> Result<Vec<Target<'f>>> {
        let to = self.to.map(|kind| kind.target().map_err(|message| anyhow!(message))).transpose()?;
        if let [file] = &files.found[..]
            && !files.has_folder
            && !self.output.is_dir()
        {
            refuse_existing(&self.output, may_replace(&self.output))?;
            let format = record_format(&self.output, self.to)?;
            return Ok(vec![(&file.path, self.output.clone(), Some(format))]);
        }
        if self.output.is_file() {
            bail!("{}: several files cannot go into one: name a folder with -o", self.output.display());
        }
        let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
        let mut targets = Vec::new();
        for file in &files.found {
            let mut target = self.output.join(&file.below);
            if let Some(format) = to {
                target.set_extension(format.extensions[0]);
            }
            if let Some(other) = taken.insert(target.clone(), &file.path) {
                bail!("{} and {} would both go to {}", name(other), name(&file.path), target.display());
            }
            refuse_existing(&target, may_replace(&target))?;
            targets.push((file.path.as_path(), target, to));
        }
        Ok(targets)
    }

    /// Reads a file and lists the positions of its games.
    fn file<'f>(&self, source: &'f Path, target: PathBuf, format: Option<&'static Format>) -> Result<File<'f>> {
        let input = Input::open(source)?;
        let read_as = self.read.format(&input).with_context(|| name(source))?;
        let format = format.unwrap_or(read_as);
        let (mut games, mut unruled) = (Vec::new(), 0);
        let mut each = |record: Record| {
            self.crew.fit(record.head.game).map_err(|message| Error::new(Blame::Us, "", message))?;
            let rules = match record.head.game {
                Game::Xiangqi if self.puzzles.is_some() => {
                    let message = "this is xiangqi, and --puzzles are wins of gomoku that the rules confirm";
                    return Err(Error::new(Blame::Us, "", message));
                }
                Game::Xiangqi => Some(Rules::Xiangqi),
                Game::Gomoku => record.head.rule.or(self.rule).or(read_as.rule).map(Rules::Gomoku),
            };
            let Some(rules) = rules else {
                unruled += 1;
                return Ok(());
            };
            let from = self.from_ply.map(usize::from);
            let positions = match rules {
                Rules::Gomoku(rule) => positions(&record, rule, from.unwrap_or_else(|| first_judged(&record, rule))),
                Rules::Xiangqi => piece_positions(&record, from.unwrap_or(1)).map_err(|remark| {
                    Error::new(Blame::File, "", format!("the tag FEN holds no position: {remark}"))
                })?,
            };
            games.push(Annotated { known: vec![Known::default(); positions.len()], record, rules, positions });
            Ok(())
        };
        let options = self.read.options(self.coords, 1);
        let told = self.read.read(&input, &options, &mut each).and_then(Told::whole).with_context(|| name(source))?;
        if unruled > 0 {
            bail!("{}: nothing says the rule of {}: name it with --rule", name(source), count(unruled, "game"));
        }
        if games.len() > 1 && !format.many {
            bail!(
                "{}: {} cannot go into one {} file: choose another format with -t",
                name(source),
                count(games.len() as u64, "game"),
                format.name
            );
        }
        let mut lines = forgiven(&told.faults, told.encoding);
        if told.left_out > 0 {
            lines.push(format!("left out, as they cannot be read: {}", count(told.left_out, "game")));
        }
        Ok(File { source, target, format, games, told: lines })
    }

    /// Finds out what is known of all positions of some files.
    fn evaluate(&self, files: &mut [File<'_>], book: Option<&Book<&[u8]>>, work: &mut Work) -> Result<()> {
        let games: Vec<&mut Annotated> = files.iter_mut().flat_map(|file| &mut file.games).collect();
        let mut places: Vec<(&Position, &mut Known)> = Vec::new();
        for game in games {
            let all = game.positions.iter().zip(&mut game.known);
            places.extend(all.filter(|(position, _)| position.ended.is_none()));
        }
        let bar = Bar::evaluations(2 * places.len() as u64);
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(work.workers()).build().context("cannot start threads")?;
        pool.install(|| {
            places.par_iter_mut().for_each(|(position, known)| {
                look_for_fours(&position.key, known);
                PROGRESS.done.fetch_add(1, Ordering::Relaxed);
            });
        });
        let mut frames = Frames::new(book.is_some_and(Book::is_symmetric));
        let lines = usize::from(self.lines);
        let (mut questions, mut numbers) = (Vec::new(), HashMap::new());
        let mut asked = Vec::new();
        for (at, (position, known)) in places.iter_mut().enumerate() {
            if let Some(book) = book {
                known.finding = book.finding(&position.key, &[], lines, &mut frames)?;
            }
            // Of several moves a proof is only the first.
            if known.finding.is_none() && (known.fours.is_none() || lines > 1) {
                let question = self.question(position, lines);
                // The same position may stand in several games.
                let number = *numbers.entry(question.clone()).or_insert_with(|| {
                    questions.push(question);
                    questions.len() - 1
                });
                asked.push((at, number));
            }
        }
        let (found, _) = work.findings(&questions)?;
        drop(bar);
        for (at, number) in asked {
            places[at].1.finding.clone_from(&found[number]);
        }
        self.defend(&mut places, work)
    }

    /// The question of a position.
    fn question(&self, position: &Position, lines: usize) -> Question {
        let Position { key, history, .. } = position;
        let (position, history) = (key.clone(), history.clone());
        Question { position, history, except: Vec::new(), lines, effort: self.each.effort() }
    }

    /// Finds the moves that hold longest in positions that are lost.
    fn defend(&self, places: &mut [(&Position, &mut Known)], work: &mut Work) -> Result<()> {
        let (mut questions, mut numbers) = (Vec::new(), HashMap::new());
        let mut asked = Vec::new();
        for (at, (position, _)) in places.iter().enumerate().filter(|(_, (_, known))| known.is_lost()) {
            let question = self.question(position, DEFENCES);
            let number = *numbers.entry(question.clone()).or_insert_with(|| {
                questions.push(question);
                questions.len() - 1
            });
            asked.push((at, number));
        }
        let _bar = Bar::evaluations(questions.len() as u64);
        let (found, _) = work.findings(&questions)?;
        for (at, number) in asked {
            let (known, Some(finding)) = (&mut places[at].1, &found[number]) else { continue };
            // Only what is known to lose can be ranked by how long it holds.
            let is_ranked = finding.lines.iter().all(|line| line.value.is_some_and(|value| value < -29_500));
            if is_ranked {
                known.defences = finding.lines.clone();
                known.defences.sort_by_key(|line| std::cmp::Reverse(line.value));
            }
        }
        Ok(())
    }

    /// Judges the games of a file, writes it, and tells.
    fn finish(
        &self,
        file: File<'_>,
        players: &mut BTreeMap<String, Player>,
        each: &mut dyn FnMut(&Record, &[Judged]),
    ) -> Result<()> {
        let mut written = Vec::with_capacity(file.games.len());
        for (number, game) in (1_u64..).zip(&file.games) {
            let judged = judge(&game.record, &game.positions, &game.known, self.marks);
            self.count(&game.record.head, &judged, players);
            if self.json {
                self.tell(file.source, number, game, &judged)?;
            }
            each(&game.record, &judged);
            let telling = Telling { lines: usize::from(self.lines), variations: self.variations };
            written.push(write(&game.record, &judged, telling)?);
        }
        self.write(&file.target, file.format, &written, file.source)?;
        for line in file.told {
            complain(&format!("{}: {}", name(file.source), harmless(&line)));
        }
        Ok(())
    }

    fn write(&self, path: &Path, format: &'static Format, records: &[Record], source: &Path) -> Result<()> {
        std::fs::create_dir_all(folder_of(path)).map_err(|error| failed(path, &error))?;
        // Whether it may be replaced was asked before any work was done.
        let mut output = Output::create(path, true)?;
        let mut losses = Losses::default();
        {
            let mut buffer = BufWriter::new(&mut output);
            let mut writer = format.start(&mut buffer, &WriteOptions::default());
            for record in records {
                writer.record(record, &mut losses).with_context(|| name(source))?;
            }
            writer.finish().with_context(|| name(source))?;
            drop(writer);
            buffer.flush().map_err(|error| failed(path, &error))?;
        }
        output.commit()?;
        super::book::tell_losses(path, format.name, &losses);
        Ok(())
    }

    fn count(&self, head: &Head, judged: &[Judged], players: &mut BTreeMap<String, Player>) {
        for (side, tag) in [Side::First, Side::Second].map(|side| (side, tag_of(side, head.game))) {
            let own: Vec<&Judged> = judged.iter().filter(|judged| judged.side == side).collect();
            if own.is_empty() {
                continue;
            }
            let name = head.tag(tag).map(str::trim).filter(|name| !name.is_empty()).unwrap_or("?");
            let player = players.entry(name.to_owned()).or_default();
            player.games += 1;
            for judged in own {
                player.moves += 1;
                player.lost += judged.loss;
                if let Some(mark) = judged.mark {
                    player.marked[mark] += 1;
                }
                player.missed += u64::from(judged.missed.is_some());
            }
        }
    }

    /// An object for each move, and one for the game.
    fn tell(&self, source: &Path, number: u64, game: &Annotated, judged: &[Judged]) -> Result<()> {
        let size = game.record.head.size;
        let names = |line: &[Move]| -> Vec<String> { line.iter().take(SHOWN).map(|play| play.text(size)).collect() };
        let mut out = anstream::stdout().lock();
        let input = source.display().to_string();
        for judged in judged {
            let scale = Judgement::SCALE;
            let defence = |line: &Line| {
                json!({
                    "move": line.moves.first().map(|play| play.text(size)),
                    "plies": line.value.map(|value| value + 30_000),
                })
            };
            let defences: Vec<_> = judged.defences.iter().map(defence).collect();
            let line = |line: &Line| json!({ "moves": names(&line.moves), "value": line.value });
            let lines: Vec<_> = judged.lines.iter().take(usize::from(self.lines)).map(line).collect();
            let row = json!({
                "kifu": JSON, "input": input, "record": number, "ply": judged.ply,
                "side": judged.side.name(game.rules.game()), "move": judged.play.text(size),
                "value": judged.value, "win_rate": round(win_rate(judged.value, scale)), "depth": judged.depth,
                "best": names(&judged.best.moves), "best_value": judged.best.value, "lines": lines,
                "loss": round(judged.loss), "mark": judged.mark.map(|mark| self.marks[mark]),
                "missed_win": judged.missed.as_ref().map(|win| names(&win.line)), "allowed_win": judged.allowed.as_ref().map(|win| names(&win.line)),
                "missed_by": judged.missed.as_ref().map(|win| win.by.name()),
                "allowed_by": judged.allowed.as_ref().map(|win| win.by.name()), "defences": defences,
                "last_losing": judged.is_last_losing,
            });
            writeln!(out, "{row}")?;
        }
        let last = judged.iter().find(|judged| judged.is_last_losing).map(|judged| judged.ply);
        let side = |side: Side| {
            let own: Vec<f64> = judged.iter().filter(|judged| judged.side == side).map(|judged| judged.loss).collect();
            let mean = own.iter().sum::<f64>() / own.len().max(1) as f64;
            (!own.is_empty()).then(|| round(1.0 - mean))
        };
        let head = &game.record.head;
        let mut row = json!({
            "kifu": JSON, "input": input, "record": number, "game": true, "rule": game.rules.name(),
            "judged": judged.len(), "last_losing_ply": last,
        });
        for each in [Side::First, Side::Second] {
            let name = each.name(head.game);
            row[name] = head.tag(tag_of(each, head.game)).into();
            row[format!("{name}_accuracy")] = side(each).into();
        }
        writeln!(out, "{row}")?;
        Ok(())
    }

    /// A line for each player.
    fn summary(&self, players: &BTreeMap<String, Player>, puzzles: usize) -> Result<()> {
        let mut out = anstream::stdout().lock();
        let width = players.keys().map(|name| name.chars().count()).max().unwrap_or(0).clamp(6, 30);
        let [small, middle, large] = self.marks;
        writeln!(
            out,
            "{:width$} {:>6} {:>7} {:>9} {:>5} {:>5} {:>5} {:>7}",
            "player",
            "games",
            "moves",
            "accuracy",
            format!("?!{small}"),
            format!("?{middle}"),
            format!("??{large}"),
            "missed"
        )?;
        for (name, player) in players {
            let accuracy = 100.0 * (1.0 - player.lost / player.moves.max(1) as f64);
            let shown: String = harmless(name).chars().take(30).collect();
            let [small, middle, large] = player.marked;
            writeln!(
                out,
                "{shown:width$} {:>6} {:>7} {accuracy:>7.1} % {small:>5} {middle:>5} {large:>5} {:>7}",
                player.games, player.moves, player.missed
            )?;
        }
        if self.puzzles.is_some() {
            writeln!(out, "puzzles: {}", count(puzzles as u64, "missed win"))?;
        }
        Ok(())
    }
}

/// The tag with the name of a player.
fn tag_of(side: Side, game: Game) -> &'static str {
    match side.name(game) {
        "red" => "Red",
        "white" => "White",
        _ => "Black",
    }
}

fn round(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// Looks for a victory by fours, and keeps one that the rules alone confirm.
fn look_for_fours(key: &Key, known: &mut Known) {
    let Some(key) = key.stones() else { return };
    let Ok(stones) = gomoku::Board::with_stones(key.size, key.stones.iter().copied()) else { return };
    let Ok(mut board) = engine::Board::new(&stones, key.rule, Three::Rif) else { return };
    let options = VcfOptions { max_nodes: FOURS, stop: Some(&PROGRESS.stop), ..VcfOptions::default() };
    match Vcf::new(1 << 18).solve(&mut board, key.to_move, &options) {
        Answer::Proven(proof) if verify(&stones, key.rule, Three::Rif, &proof).is_ok() => {
            known.fours = Some(proof.line().to_vec());
            known.has_looked = true;
        }
        Answer::Disproven(_) => known.has_looked = true,
        Answer::Proven(_) | Answer::Aborted(_) => {}
    }
}

/// Adds the positions of a game in which a win was missed, each once up to symmetry.
fn puzzle(record: &Record, judged: &[Judged], seen: &mut HashSet<Vec<(u16, Side)>>, found: &mut Vec<Record>) {
    for judged in judged {
        let Some(Win { by, line }) = &judged.missed else { continue };
        let size = record.head.size;
        let mut board = gomoku::Board::new(size);
        let mut builder = TreeBuilder::new();
        let mut depth = 0;
        let mut put = || -> Option<()> {
            for node in std::iter::once(NodeId::ROOT).chain(record.tree.main_line()) {
                if node == judged.node {
                    return Some(());
                }
                if node != NodeId::ROOT {
                    depth += 1;
                    builder.append(depth, record.tree.side(node), record.tree.play(node)).ok()?;
                }
                for note in record.tree.notes(node) {
                    if let Note::Stone(point, side) = note {
                        board.undo(point);
                        if let Some(side) = side {
                            board.play(point, side).ok()?;
                        }
                        builder.note(note).ok()?;
                    }
                    if let Note::ToMove(_) = note {
                        builder.note(note).ok()?;
                    }
                }
                if let Play::Move(Move::Place(point)) = record.tree.play(node) {
                    board.play(point, record.tree.side(node)).ok()?;
                }
            }
            None
        };
        if put().is_none() {
            continue;
        }
        let turned = board.turned(canonical(&board));
        if !seen.insert(turned.stones().map(|(point, side)| (point.code(), side)).collect()) {
            continue;
        }
        let side = if judged.side == Side::First { "Black" } else { "White" };
        let names: Vec<String> = line.iter().map(|play| play.text(size)).collect();
        let task = format!("{side} to win by {}.", by.name());
        let answer = names.join(" ");
        if builder.note(Note::Line(&task)).and_then(|()| builder.note(Note::Body(&answer))).is_ok() {
            let head = Head { result: None, ..record.head.clone() };
            found.push(Record { head, tree: builder.build() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::annotate::MARKS;

    #[test]
    fn marks_are_three_rising_numbers() {
        assert_eq!(marks("10,20,30"), Ok(MARKS));
        assert_eq!(marks("5, 5, 100"), Ok([5, 5, 100]));
        for text in ["", "10", "10,20", "30,20,10", "0,1,2", "1,2,101", "a,b,c", "1,2,3,4"] {
            assert!(marks(text).is_err(), "{text}");
        }
    }
}
