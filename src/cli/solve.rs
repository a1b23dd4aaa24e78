use super::Exit;
use super::book::memory;
use super::diagram::{Diagram, Numbers};
use super::kind::Kind;
use super::lines;
use super::output::refuse_existing;
use super::place::{Asked, Place};
use super::question::{Question, of_text};
use super::record_output::{record_format, write_record};
use super::terminal::{JSON, count, harmless};
use super::text_board;
use ::formats::Format;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use engine::{Answer, Board, Budget, Proof, Stand, Vcf, VcfOptions, Vct, VctOptions, verify};
use games::gomoku::{self, Three};
use games::{Coords, Move, Point, Rule, Side};
use record::{NodeId, Note, Play};
use serde_json::{Value, json};
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

/// Find a victory by continuous fours or threats, and prove it
#[derive(Args)]
#[command(after_help = "A position is a move string in any notation (--coords), agi:78685A69, agi:STATU 7869 MOVES 68,
board: and its rows of . X O joined by /, or opening:D4. The side to move attacks; X is the first player, Black.

The rule is the one the file says, else --rule, else the format's; agi: and opening: are renju.

Every win is replayed against all replies by the rules alone before it is told. The answer \"none\" is about what was
looked for: fours, or with --vct fours and moves that threaten to win by fours; there may be a win by other moves. The
exit code is 0 for a win (or a threat), 1 for none, 2 for no answer.

Examples:
  kifu solve --rule renju h8h9i10i9i8g9g8
  kifu solve --rule freestyle --shortest games.sgf --game 3 --ply 20
  kifu solve --rule renju --vct h8h7f8g7h9i7j7g8g10i8h11
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
    /// Look for a victory by continuous threats: fours, and moves that threaten to win by fours
    #[arg(long, conflicts_with_all = ["vcf", "shortest"])]
    vct: bool,
    /// With --vct, how many fours what a move threatens may take, from 0 to 9
    #[arg(
        long,
        requires = "vct",
        value_name = "FOURS",
        default_value_t = VctOptions::LEVEL,
        value_parser = clap::value_parser!(u32).range(0..=9)
    )]
    level: u32,
    /// Find the least number of fours
    #[arg(long)]
    shortest: bool,
    /// End without an answer after so many nodes, stones put on the board [default: 5000000 with --vct]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u64>,
    /// Memory of each search for what it has found out, such as 256M
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

/// The nodes after which a search for threats ends unless something else is asked for: a few seconds.
const NODES: u64 = 5_000_000;

/// What looks for the victory that is asked for.
enum Solver {
    Fours(Vcf),
    Threats(Vct),
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

impl Solve {
    /// Solves.
    pub fn run(self) -> Result<Exit> {
        let format = self.output.as_deref().map(|path| record_format(path, self.to)).transpose()?;
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
        let found = self.solve(&question, &mut self.solver())?;
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

    /// The positions on stdin.
    fn lines(&self) -> Result<Exit> {
        lines::each(self.threads, !self.json, || self.solver(), |solver, line| self.line(line, solver))
    }

    fn line(&self, line: &str, solver: &mut Solver) -> Result<(String, Exit)> {
        let record = self.place.position(line).map_err(|error| anyhow!(error))?;
        let question = Question::new(&record, self.place.node(&record)?, self.rule.or(of_text(line)))?;
        let found = self.solve(&question, solver)?;
        Ok((self.tell(line, &question, &found)?, exit(&found.answer)))
    }

    fn solver(&self) -> Solver {
        if self.vct { Solver::Threats(Vct::new(self.memory)) } else { Solver::Fours(Vcf::new(self.memory)) }
    }

    /// The answer to one question, and the nodes it took.
    fn ask(&self, solver: &mut Solver, board: &mut Board, attacker: Side, shortest: bool) -> (Answer, u64) {
        match solver {
            Solver::Fours(solver) => {
                let max_nodes = self.max_nodes.unwrap_or(u64::MAX);
                let answer = solver.solve(board, attacker, &VcfOptions { shortest, max_nodes, stop: None });
                (answer, solver.nodes())
            }
            Solver::Threats(solver) => {
                let max_nodes = self.max_nodes.unwrap_or(NODES);
                let answer = solver.solve(board, attacker, &VctOptions { level: self.level, max_nodes, stop: None });
                (answer, solver.nodes())
            }
        }
    }

    fn solve(&self, question: &Question, solver: &mut Solver) -> Result<Found> {
        let mut board = Board::new(&question.stones, question.rule, self.three)?;
        let attacker = if self.threat { question.to_move.other() } else { question.to_move };
        let (answer, nodes) = self.ask(solver, &mut board, attacker, self.shortest);
        let mut found = Found { attacker, answer, nodes, defences: None };
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
            let solve = |board: &mut Board, side| self.ask(solver, board, side, false);
            let (each, nodes) = engine::defences(&mut board, question.to_move, solve);
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
                "side": side(question.to_move), "attacker": side(found.attacker), "kind": if self.vct { "vct" } else { "vcf" },
                "result": result, "line": line, "length": proof.map(|proof| proof.line().len()),
                "fours": proof.filter(|_| !self.vct).map(Proof::fours), "nodes": found.nodes,
                "verified": proof.is_some(),
            });
            if self.vct {
                object["level"] = self.level.into();
            }
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
                say(format!("{attacker} {would} {}: {}", self.by(proof), line.join(" ")));
                say(format!("{rule}, {nodes}, verified against every reply"));
            }
            (Answer::Aborted(Budget::Nodes(_) | Budget::Stopped), _) => {
                say(format!("{attacker}: no answer within {nodes} ({rule})"));
            }
            _ if self.vct => {
                let level = self.level;
                say(format!("{attacker} has no victory by threats of level {level} ({rule}, {nodes})"));
            }
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

    /// What the win consists of.
    fn by(&self, proof: &Proof) -> String {
        match proof.fours() {
            0 => "with a five".into(),
            moves if self.vct => format!("by threats in {}", count(moves.into(), "move")),
            fours => format!("by {}", count(fours.into(), "four")),
        }
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
            let others = if self.vct { "a five, or to what follows on a pass" } else { "a five" };
            let (by, rule) = (self.by(proof), question.rule);
            let wins = format!("{attacker} wins {by} ({rule}); every other reply loses to {others}");
            if passes {
                depth += 1;
                builder.append(depth, question.to_move, Play::Move(Move::Pass))?;
            }
            builder.note(Note::Line(&wins))?;
            proof.grow(builder, depth)
        })?;
        write_record(&record, format, self.file(), self.force, &self.place.text())
    }
}

fn exit(answer: &Answer) -> Exit {
    match answer {
        Answer::Proven(_) => Exit::Done,
        Answer::Disproven(_) => Exit::No,
        Answer::Aborted(_) => Exit::Failed,
    }
}
