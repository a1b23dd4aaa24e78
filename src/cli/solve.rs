use super::Exit;
use super::book::{blame, memory, tell_losses};
use super::diagram::{Diagram, Numbers};
use super::input::name;
use super::kind::{Kind, extension};
use super::output::{Output, failed, refuse_existing};
use super::place::{Asked, Place};
use super::progress;
use super::terminal::{JSON, complain, count, harmless};
use super::text_board;
use ::formats::{Format, Losses, WriteOptions};
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use engine::{Answer, Board, Budget, Proof, Stand, Vcf, VcfOptions, verify};
use games::gomoku::{self, Three};
use games::{Coords, Move, Point, Rule, Side, Size};
use rayon::prelude::*;
use record::{Head, NodeId, Note, Play, Record, TreeBuilder};
use serde_json::{Value, json};
use std::io::{BufRead, BufWriter, Write, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

/// Find a victory by continuous fours, and prove it
#[derive(Args)]
#[command(after_help = "A position is a move string in any notation (--coords), agi:78685A69, agi:STATU 7869 MOVES 68,
board: and its rows of . X O joined by /, or opening:D4. The side to move attacks; X is the first player, Black.

The rule is the one the file says, else --rule, else the format's; agi: and opening: are renju.

Every win is replayed against all replies by the rules alone before it is told. The answer \"none\" is about fours:
there may be a win by threes. The exit code is 0 for a win (or a threat), 1 for none, 2 for no answer.

Examples:
  kifu solve --rule renju h8h9i10i9i8g9g8
  kifu solve --rule freestyle --shortest games.sgf --game 3 --ply 20
  kifu solve --rule renju games.lib --path h8,i9 -o proof.lib
  kifu solve --rule renju --threat --defences h8h9i10i9i8
  kifu solve --rule standard --json --max-nodes 100000 - < positions.txt")]
pub struct Solve {
    #[command(flatten)]
    place: Place,
    /// Rule where nothing says it: freestyle, standard, renju or caro
    #[arg(long)]
    rule: Option<Rule>,
    /// What a three is that can only grow by a point that also makes five: rif (none) or strict (one)
    #[arg(long, default_value = "rif", value_name = "READING")]
    three: Three,
    /// Look for a victory by continuous fours, which is what is looked for unless something else is named
    #[arg(long)]
    vcf: bool,
    /// Find the least number of fours
    #[arg(long)]
    shortest: bool,
    /// End without an answer after so many nodes, which are stones put on the board
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    /// Memory of each search for what it has found to lead nowhere, such as 256M
    #[arg(long, value_parser = memory, value_name = "BYTES", default_value = "16M")]
    memory: usize,
    /// Find what the other side would win by if the side to move passed
    #[arg(long)]
    threat: bool,
    /// List the points that stop the threat
    #[arg(long, requires = "threat")]
    defences: bool,
    /// Print a JSON object a position
    #[arg(long)]
    json: bool,
    /// Threads for positions on stdin [default: one a processor]
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,
    /// File to write the proof to, as a record
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format of the proof [default: told by the extension of -o]
    #[arg(short, long, value_parser = Kind::parse, value_name = "FORMAT", requires = "output")]
    to: Option<Kind>,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
}

/// A position to solve.
struct Question {
    rule: Rule,
    stones: gomoku::Board,
    to_move: Side,
    /// The moves that led there, after the set-up.
    played: Vec<(Move, Side)>,
    setup: Vec<(Point, Side)>,
}

/// What was found out.
struct Found {
    attacker: Side,
    answer: Answer,
    nodes: u64,
    /// Whose moves stop the threat, lose, and could not be told; where they were asked for.
    defences: Option<Defences>,
}

#[derive(Default)]
struct Defences {
    hold: Vec<Point>,
    unknown: Vec<Point>,
}

impl Question {
    /// The position at a node; `rule` is for where the record says none.
    fn new(record: &Record, node: NodeId, rule: Option<Rule>) -> Result<Question> {
        let rule = record.head.rule.or(rule).context("nothing says the rule: name it with --rule")?;
        let diagram = Diagram::new(record, node);
        let tree = &record.tree;
        let played = tree.path(node).into_iter().filter_map(|node| match tree.play(node) {
            Play::Move(played) => Some((played, tree.side(node))),
            _ => None,
        });
        let played: Vec<(Move, Side)> = played.collect();
        let stones = || diagram.stones.iter().map(|stone| (stone.point, stone.side));
        let board = gomoku::Board::with_stones(diagram.size, stones()).expect("a point has one stone");
        // Moves that do not give these stones, such as one on a stone, are not told: the stones alone are.
        let setup: Vec<(Point, Side)> =
            diagram.stones.iter().filter(|stone| stone.ply.is_none()).map(|stone| (stone.point, stone.side)).collect();
        let places = played.iter().filter_map(|(played, side)| played.point().map(|point| (point, *side)));
        let replayed = gomoku::Board::with_stones(diagram.size, setup.iter().copied().chain(places));
        let (setup, played) = if replayed == Ok(board) { (setup, played) } else { (stones().collect(), Vec::new()) };
        Ok(Question { rule, stones: board, to_move: diagram.to_move, played, setup })
    }

    fn size(&self) -> Size {
        self.stones.size()
    }

    /// The position as a record, with what comes after it.
    fn record(&self, after: impl FnOnce(&mut TreeBuilder, usize) -> Result<(), record::Full>) -> Result<Record> {
        let mut builder = TreeBuilder::new();
        let grow = || {
            for (point, side) in &self.setup {
                builder.note(Note::Stone(*point, Some(*side)))?;
            }
            let first = self.played.first().map_or(self.to_move, |(_, side)| *side);
            if !self.setup.is_empty() || first == Side::Second {
                builder.note(Note::ToMove(first))?;
            }
            for (at, (played, side)) in self.played.iter().enumerate() {
                builder.append(at + 1, *side, Play::Move(*played))?;
            }
            after(&mut builder, self.played.len())
        };
        grow().map_err(|full| anyhow!("{full}"))?;
        let head = Head { size: self.size(), rule: Some(self.rule), ..Head::default() };
        Ok(Record { head, tree: builder.build() })
    }
}

impl Solve {
    /// Solves.
    pub fn run(self) -> Result<Exit> {
        let format = self.format()?;
        if let Some(path) = self.file() {
            refuse_existing(path, self.force)?;
        }
        let (record, of_format) = match self.place.asked()? {
            Asked::Lines if self.output.is_some() => bail!("-o takes one position, not those on stdin"),
            Asked::Lines => return self.lines(),
            Asked::File => self.place.record()?,
            Asked::Position(record) => (record, of_text(&self.place.text())),
        };
        let question = Question::new(&record, self.place.node(&record)?, self.rule.or(of_format))?;
        let found = self.solve(&question, &mut Vcf::new(self.memory))?;
        if let (Some(format), Answer::Proven(proof)) = (format, &found.answer) {
            self.write(&question, proof, format)?;
        }
        if self.output.as_deref().is_none_or(|path| path.as_os_str() != "-") {
            let text = self.tell(&self.place.text(), &question, &found)?;
            stdout().lock().write_all(text.as_bytes())?;
        }
        Ok(exit(&found.answer))
    }

    /// The file to write, if one is named.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }

    /// The format of the proof, if it is to be written.
    fn format(&self) -> Result<Option<&'static Format>> {
        let Some(path) = &self.output else { return Ok(None) };
        let kind = self.to.or_else(|| extension(path).and_then(Kind::by_extension));
        let kind = kind.with_context(|| format!("{}: its extension tells no format: name one with -t", name(path)))?;
        kind.records().map(Some).map_err(|message| anyhow!(message))
    }

    /// The positions on stdin; goes on after a line that is none.
    ///
    /// What has come is solved at once, so that a program that waits for an answer gets it.
    fn lines(&self) -> Result<Exit> {
        const MOST: usize = 256;
        let threads = self.threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().context("cannot start threads")?;
        let (sender, receiver) = sync_channel(MOST);
        std::thread::spawn(move || {
            for (at, line) in stdin().lock().lines().enumerate() {
                let is_bad = line.is_err();
                if sender.send((at + 1, line)).is_err() || is_bad {
                    return;
                }
            }
        });
        let mut exit_code = Exit::Done;
        let mut is_first = true;
        while let Some(batch) = progress::idle(|| batch(&receiver, MOST)) {
            let mut told = Vec::new();
            let mut lines = Vec::new();
            for (at, line) in batch {
                let line = line.map_err(|error| anyhow!("stdin cannot be read: {error}"))?;
                if !line.trim().is_empty() {
                    lines.push((at, line));
                }
            }
            pool.install(|| {
                let each =
                    lines.par_iter().map_init(|| Vcf::new(self.memory), |solver, (_, line)| self.line(line, solver));
                each.collect_into_vec(&mut told);
            });
            let mut out = stdout().lock();
            for ((at, _), told) in lines.iter().zip(told) {
                match told {
                    Ok((text, code)) => {
                        if !is_first && !self.json {
                            writeln!(out)?;
                        }
                        is_first = false;
                        out.write_all(text.as_bytes())?;
                        exit_code = exit_code.max(code);
                    }
                    Err(error) => {
                        complain(&format!("stdin: line {at}: {error:#}"));
                        exit_code = Exit::Failed;
                    }
                }
            }
            out.flush()?;
        }
        Ok(exit_code)
    }

    fn line(&self, line: &str, solver: &mut Vcf) -> Result<(String, Exit)> {
        let record = self.place.position(line).map_err(|error| anyhow!(error))?;
        let question = Question::new(&record, self.place.node(&record)?, self.rule.or(of_text(line)))?;
        let found = self.solve(&question, solver)?;
        Ok((self.tell(line, &question, &found)?, exit(&found.answer)))
    }

    fn solve(&self, question: &Question, solver: &mut Vcf) -> Result<Found> {
        let mut board = Board::new(&question.stones, question.rule, self.three)?;
        let attacker = if self.threat { question.to_move.other() } else { question.to_move };
        let options = VcfOptions { shortest: self.shortest, max_nodes: self.max_nodes.unwrap_or(u64::MAX) };
        let answer = solver.solve(&mut board, attacker, &options);
        let mut found = Found { attacker, answer, nodes: solver.nodes(), defences: None };
        let Answer::Proven(proof) = &found.answer else { return Ok(found) };
        let check = |stones: &gomoku::Board, proof: &Proof| {
            verify(stones, question.rule, self.three, proof).map_err(|flaw| {
                anyhow!(
                    "a proof of the solver is wrong, which is a fault of this program: {flaw}: {:?}",
                    question.stones
                )
            })
        };
        check(&question.stones, proof)?;
        if self.defences {
            let mut defences = Defences::default();
            let options = VcfOptions { shortest: false, ..options };
            let (each, nodes) = engine::defences(&mut board, question.to_move, solver, &options);
            for defence in each {
                match defence.stand {
                    Stand::Wins | Stand::Holds => defences.hold.push(defence.point),
                    Stand::Unknown => defences.unknown.push(defence.point),
                    Stand::Loses(proof) => {
                        let mut stones = question.stones;
                        stones.play_unchecked(defence.point, question.to_move);
                        check(&stones, &proof)?;
                    }
                }
            }
            found.nodes += nodes;
            found.defences = Some(defences);
        }
        Ok(found)
    }

    /// What is printed.
    fn tell(&self, input: &str, question: &Question, found: &Found) -> Result<String> {
        let size = question.size();
        let names = |points: &[Point]| points.iter().map(|point| Coords::A1.text(*point, size)).collect::<Vec<_>>();
        let (result, proof) = match &found.answer {
            Answer::Proven(proof) => ("win", Some(proof)),
            Answer::Disproven(_) => ("none", None),
            Answer::Aborted(_) => ("aborted", None),
        };
        let line = proof.map_or(Vec::new(), |proof| names(proof.line()));
        if self.json {
            let side = |side| if side == Side::First { "black" } else { "white" };
            let mut object = json!({
                "kifu": JSON, "input": input, "rule": question.rule.name(), "size": [size.width(), size.height()],
                "side": side(question.to_move), "attacker": side(found.attacker), "kind": "vcf", "result": result,
                "line": line, "fours": proof.map(Proof::fours), "nodes": found.nodes, "verified": proof.is_some(),
            });
            if let Some(defences) = &found.defences {
                object["defences"] = Value::from(names(&defences.hold));
                object["unknown"] = Value::from(names(&defences.unknown));
            }
            return Ok(format!("{object}\n"));
        }
        let attacker = if found.attacker == Side::First { "Black" } else { "White" };
        let (rule, nodes) = (question.rule, count(found.nodes, "node"));
        let mut text = String::new();
        let mut say = |sentence: String| text += &format!("{}\n", harmless(&sentence));
        match (&found.answer, proof) {
            (_, Some(proof)) => {
                say(self.board(question, proof)?);
                let would = if self.threat { "threatens to win" } else { "wins" };
                let fours = match proof.fours() {
                    0 => "with a five".into(),
                    fours => format!("by {}", count(fours.into(), "four")),
                };
                say(format!("{attacker} {would} {fours}: {}", line.join(" ")));
                say(format!("{rule}, {nodes}, verified against every reply"));
            }
            (Answer::Aborted(Budget::Nodes(_)), _) => say(format!("{attacker}: no answer within {nodes} ({rule})")),
            _ => say(format!("{attacker} has no victory by fours ({rule}, {nodes})")),
        }
        if let Some(Defences { hold, unknown }) = &found.defences {
            let none = || "nothing".to_owned();
            say(format!("stopped by: {}", if hold.is_empty() { none() } else { names(hold).join(" ") }));
            if !unknown.is_empty() {
                say(format!("not known within --max-nodes: {}", names(unknown).join(" ")));
            }
        }
        Ok(text)
    }

    /// The board with the numbers of the line on its stones.
    fn board(&self, question: &Question, proof: &Proof) -> Result<String> {
        let line = question.record(|builder, depth| {
            let mut side = proof.attacker();
            for (at, point) in proof.line().iter().enumerate() {
                builder.append(depth + 1 + at, side, Play::Move(Move::Place(*point)))?;
                side = side.other();
            }
            Ok(())
        })?;
        let last = line.tree.main_line().last().unwrap_or(NodeId::ROOT);
        let diagram = Diagram::new(&line, last);
        Ok(text_board::board(&diagram, Numbers::From(question.played.len() + 1)).trim_end().to_owned() + "\n")
    }

    /// Writes the proof as a record.
    fn write(&self, question: &Question, proof: &Proof, format: &'static Format) -> Result<()> {
        let passes = proof.attacker() != question.to_move;
        let attacker = if proof.attacker() == Side::First { "Black" } else { "White" };
        let record = question.record(|builder, mut depth| {
            let fours = count(proof.fours().into(), "four");
            let wins = format!("{attacker} wins by {fours} ({}); every other reply loses to a five", question.rule);
            if passes {
                depth += 1;
                builder.append(depth, question.to_move, Play::Move(Move::Pass))?;
            }
            builder.note(Note::Line(&wins))?;
            proof.grow(builder, depth)
        })?;
        let mut losses = Losses::default();
        let mut put = |out: &mut dyn Write| -> Result<()> {
            let mut writer = (format.writer)(out, &WriteOptions::default());
            let target = self.file();
            let source = PathBuf::from(&*self.place.text());
            writer.record(&record, &mut losses).map_err(|error| blame(&source, target, error))?;
            writer.finish().map_err(|error| blame(&source, target, error))
        };
        match self.file() {
            None => put(&mut stdout().lock())?,
            Some(path) => {
                let mut output = Output::create(path, self.force)?;
                let mut buffer = BufWriter::new(&mut output);
                put(&mut buffer)?;
                buffer.flush().map_err(|error| failed(path, &error))?;
                drop(buffer);
                output.commit()?;
            }
        }
        tell_losses(self.output.as_deref().unwrap_or(Path::new("-")), format.name, &losses);
        Ok(())
    }
}

/// The lines that are there, at least one; `None` at the end.
fn batch<T>(receiver: &Receiver<T>, most: usize) -> Option<Vec<T>> {
    let mut batch = vec![receiver.recv().ok()?];
    batch.extend(receiver.try_iter().take(most - 1));
    Some(batch)
}

/// The rule of the notation, where it has one.
fn of_text(text: &str) -> Option<Rule> {
    let head = text.trim().split(':').next().unwrap_or_default();
    ["agi", "opening"].iter().any(|of| head.eq_ignore_ascii_case(of)).then_some(Rule::Renju)
}

fn exit(answer: &Answer) -> Exit {
    match answer {
        Answer::Proven(_) => Exit::Done,
        Answer::Disproven(_) => Exit::No,
        Answer::Aborted(_) => Exit::Failed,
    }
}
