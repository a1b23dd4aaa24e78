use super::Match;
use super::sheet::{Fault, Sheet};
use super::table::Entrant;
use crate::cli::terminal::{JSON, count, thousands};
use engine::rival::{Ending, Game, Sprt, Verdict, elo};
use games::{Coords, Point, Side};
use serde_json::{Value, json};

/// What is said about a match, at its end and while it goes on.
pub struct Report<'a> {
    pub options: &'a Match,
    pub entrants: &'a [Entrant; 2],
    pub sheet: &'a Sheet,
}

impl Report<'_> {
    /// Games won, drawn and lost by the first engine.
    fn results(&self) -> [u64; 3] {
        let [black, white] = self.sheet.results;
        std::array::from_fn(|at| black[at] + white[at])
    }

    /// For the line that is there while the match goes on.
    pub fn short(&self) -> String {
        let [won, drawn, lost] = self.results();
        let (low, high) = self.sheet.pairs.interval();
        let sprt =
            self.options.sprt().map_or(String::new(), |test| format!("  LLR {:.2}", test.ratio(&self.sheet.pairs)));
        format!(
            "+{won} ={drawn} -{lost}  {} ({} to {}){sprt}",
            percent(self.sheet.pairs.score()),
            percent(low),
            percent(high)
        )
    }

    /// All of it, in lines.
    pub fn text(&self) -> String {
        let Match { rule, size, .. } = self.options;
        let (sheet, [first, second]) = (self.sheet, self.entrants);
        let [won, drawn, lost] = self.results();
        let games = count(sheet.games() as u64, "game");
        let mut text = format!("{} against {}: {games}, {rule} {size}\n", first.name, second.name);
        if sheet.games() == 0 {
            return text;
        }
        let (low, high) = sheet.pairs.interval();
        let score = sheet.pairs.score();
        text += &format!("won {won}, drawn {drawn}, lost {lost}: ");
        text += &format!("{} % (95 %: {} to {})\n", percent(score), percent(low), percent(high));
        let superiority = sheet.pairs.superiority().map_or("?".into(), |share| format!("{} %", percent(share)));
        text += &format!(
            "Elo {} (95 %: {} to {}), likelihood of superiority {superiority}\n",
            rating(score),
            rating(low),
            rating(high)
        );
        let [black, white] = sheet.results.map(|each| each.map(thousands).join("-"));
        let pairs = sheet.pairs.counts.map(thousands).join(" ");
        text += &format!("as Black {black}, as White {white}; pairs with 0, 1/2, 1, 3/2 and 2 points: {pairs}\n");
        if let Some(test) = self.options.sprt() {
            let meaning = match test.verdict(&sheet.pairs) {
                Some(Verdict::Better) => format!("{} is better", first.name),
                Some(Verdict::NotBetter) => format!("{} is not better", first.name),
                None => "not decided".into(),
            };
            let (ratio, bound) = (test.ratio(&sheet.pairs), Sprt::BOUND);
            let Sprt { elo0, elo1 } = test;
            text += &format!(
                "SPRT, Elo {elo0} against {elo1}: LLR {ratio:.2} (from -{bound:.2} to {bound:.2}), {meaning}\n"
            );
        }
        for (entrant, account) in self.entrants.iter().zip(&sheet.accounts) {
            let mean = account.time.as_secs_f64() * 1000.0 / account.moves.max(1) as f64;
            let moves = count(account.moves, "move");
            text +=
                &format!("{}: {moves}, {mean:.1} ms a move, {} ms at most", entrant.name, account.longest.as_millis());
            if account.late > 0 {
                let (late, latest) = (count(account.late, "move"), account.latest.as_millis());
                text += &format!("; {late} late, by {latest} ms at most");
            }
            for (fault, (number, at, reason)) in &account.faults {
                let lost = count(*number, "game");
                text += &format!("\n  lost {lost} {}, first game {}: {reason}", fault.phrase(), at + 1);
            }
            text.push('\n');
        }
        text
    }

    /// All of it, as an object.
    pub fn json(&self) -> Value {
        let sheet = self.sheet;
        let [won, drawn, lost] = self.results();
        let (low, high) = sheet.pairs.interval();
        let engines: Vec<Value> = self
            .entrants
            .iter()
            .zip(&sheet.accounts)
            .map(|(entrant, account)| {
                let faults: serde_json::Map<String, Value> = account
                    .faults
                    .iter()
                    .map(|(fault, (number, at, reason))| {
                        (fault.name().to_owned(), json!({ "games": number, "first": at + 1, "reason": reason }))
                    })
                    .collect();
                json!({
                    "name": entrant.name, "command": entrant.line.to_string(), "moves": account.moves,
                    "ms": account.time.as_millis() as u64, "longest_ms": account.longest.as_millis() as u64,
                    "late": account.late, "latest_ms": account.latest.as_millis() as u64, "faults": faults,
                })
            })
            .collect();
        let sprt = self.options.sprt().map(|test| {
            let verdict = test.verdict(&sheet.pairs).map(|verdict| match verdict {
                Verdict::Better => "better",
                Verdict::NotBetter => "not-better",
            });
            json!({
                "elo0": test.elo0, "elo1": test.elo1, "llr": test.ratio(&sheet.pairs), "bound": Sprt::BOUND,
                "verdict": verdict,
            })
        });
        json!({
            "kifu": JSON, "final": true, "rule": self.options.rule.name(),
            "size": [self.options.size.width(), self.options.size.height()],
            "games": sheet.games(), "won": won, "drawn": drawn, "lost": lost, "black": sheet.results[0],
            "white": sheet.results[1], "pairs": sheet.pairs.counts, "score": sheet.pairs.score(), "interval": [low, high],
            "elo": finite(elo(sheet.pairs.score())), "elo_interval": [finite(elo(low)), finite(elo(high))],
            "los": sheet.pairs.superiority(), "sprt": sprt, "engines": engines,
        })
    }
}

/// How a game ended, in a sentence.
pub fn game(sheet: &Sheet, at: usize, entrants: &[Entrant; 2]) -> String {
    let game = sheet.game(at);
    let name = |side| &entrants[Sheet::engine(at, side)].name;
    let (black, white) = (name(Side::First), name(Side::Second));
    let plies = count(game.plies.len() as u64, "move");
    let how = match &game.ending {
        Ending::Five(side) => format!("{} won by five", name(*side)),
        Ending::Full => "drawn, the board is full".into(),
        Ending::Long => "drawn by --draw-after".into(),
        Ending::Failed(side, failure) => format!("{} lost {}: {failure}", name(*side), Fault::of(failure).phrase()),
    };
    format!("game {}: {black} - {white}: {how}, after {plies}", at + 1)
}

/// The same as an object.
pub fn game_json(options: &Match, sheet: &Sheet, at: usize, entrants: &[Entrant; 2], opening: &[Point]) -> Value {
    let Game { plies, ending } = sheet.game(at);
    let name = |side| &entrants[Sheet::engine(at, side)].name;
    let (kind, reason) = match ending {
        Ending::Five(_) => ("five", None),
        Ending::Full => ("full", None),
        Ending::Long => ("draw-after", None),
        Ending::Failed(_, failure) => (Fault::of(failure).name(), Some(failure.to_string())),
    };
    let result = match ending.winner() {
        None => "1/2-1/2",
        Some(Side::First) => "1-0",
        Some(Side::Second) => "0-1",
    };
    let text = |point| Coords::A1.text(point, options.size);
    let moves: Vec<String> = plies.iter().map(|ply| text(ply.point)).collect();
    let opening: Vec<String> = opening.iter().map(|point| text(*point)).collect();
    json!({
        "kifu": JSON, "game": at + 1, "black": name(Side::First), "white": name(Side::Second), "result": result,
        "points": sheet.half_points(at) as f64 / 2.0, "ending": kind, "reason": reason, "opening": opening, "moves": moves,
    })
}

fn percent(share: f64) -> String {
    format!("{:.1}", share * 100.0)
}

/// `+35`, `-120`, `+inf`.
fn rating(score: f64) -> String {
    format!("{:+.0}", elo(score))
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
