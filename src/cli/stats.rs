use super::Exit;
use super::conditions::FilterArgs;
use super::files::Found;
use super::readers::{Heard, InputArgs, Numbered};
use super::terminal::{JSON, count, harmless, thousands};
use anyhow::Result;
use clap::Args;
use games::{Game, Side};
use record::{Facts, Results, Statistics};
use serde_json::{Value, json};
use std::io::Write;

/// Count games by result, opening, length and player
#[derive(Args)]
#[command(
    after_help = "A record with a result, or without branches, is a game; the others are trees, which have no result to count. A score is
wins and half of the draws among the games whose end is known.

Examples:
  kifu stats games.sgf
  kifu stats -r collection --player Nakamura --since 2015
  kifu stats -r collection --json"
)]
pub struct Stats {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    filter: FilterArgs,
    /// Show at most this many players
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
    /// Print one JSON object with all counts
    #[arg(long)]
    json: bool,
}

impl Stats {
    /// Prints the counts.
    pub fn run(self) -> Result<Exit> {
        let filter = self.filter.filter(self.input.coords, self.input.read.size)?;
        let files = self.input.files(None)?;
        let mut all = Statistics::default();
        let look = |(): &mut (), _: &Found, Numbered { record, rule, .. }: Numbered, found: &mut Vec<Facts>| {
            if filter.lacks(&record, rule, record.head.result).is_none() {
                found.push(Facts::of(&record, rule));
            }
            Ok(())
        };
        let (tally, exit) = self.input.each(
            &files,
            || (),
            look,
            |_, heard| {
                if let Heard::Found(found) = heard {
                    found.into_iter().for_each(|facts| all.add(facts));
                }
                Ok(())
            },
        )?;
        sort(&mut all);
        let mut out = anstream::stdout().lock();
        match self.json {
            true => writeln!(out, "{}", self.object(&all, tally.read))?,
            false => write!(out, "{}", harmless(&self.text(&all, tally.read)))?,
        }
        tally.tell(&files);
        Ok(exit)
    }

    fn text(&self, all: &Statistics, files: u64) -> String {
        let mut trees = String::new();
        if all.trees > 0 {
            trees = format!(", {}", count(all.trees, "tree"));
        }
        let (games, moves) = (count(all.games, "game"), count(all.moves, "move"));
        let mut text = format!("{}: {games}{trees}, {moves}\n", count(files, "file"));
        if all.games == 0 {
            return text;
        }
        let number = |plies: Option<usize>| plies.unwrap_or_default();
        text += &format!(
            "plies: {} to {}, half of the games at most {}, {:.1} on average\n",
            number(all.lengths.keys().next().copied()),
            number(all.lengths.keys().next_back().copied()),
            number(all.median()),
            all.mean().unwrap_or_default(),
        );
        let names = sides(all);
        let rows = vec![("all".into(), all.results)];
        table(&mut text, names, "", rows);
        let is_gomoku = all.xiangqi < all.games + all.trees;
        let name = |rule: Option<games::Rule>| rule.map_or("not said", |rule| rule.name()).to_owned();
        if is_gomoku {
            table(&mut text, names, "rule", all.rules.iter().map(|(rule, results)| (name(*rule), *results)).collect());
        }
        table(
            &mut text,
            names,
            "board",
            all.sizes.iter().map(|(size, results)| (size.to_string(), *results)).collect(),
        );
        let name = |opening: Option<&'static games::gomoku::Opening>| {
            opening.map_or("none of the 26".into(), |opening| format!("{} {}", opening.code, opening.romaji()))
        };
        if is_gomoku {
            let openings = all.openings.iter().map(|(of, results)| (name(*of), *results));
            table(&mut text, names, "opening", openings.collect());
        }
        let name = |year: Option<u16>| year.map_or("not known".into(), |year: u16| year.to_string());
        table(&mut text, names, "year", all.years.iter().map(|(year, results)| (name(*year), *results)).collect());
        self.table_of_players(&mut text, all);
        text
    }

    fn table_of_players(&self, text: &mut String, all: &Statistics) {
        if all.players.is_empty() || self.top == 0 {
            return;
        }
        let players = players(all);
        let shown = &players[..players.len().min(self.top)];
        let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("player".len());
        let [first, second] = sides(all).map(|side| format!("as {side} (+ = -)"));
        *text += &format!("\n{:<width$}    games   score  {first:<16}  {second}\n", "player");
        for (name, [black, white]) in shown {
            let games = thousands(black.games() + white.games());
            let colour = |results: &Results, wins: u64, losses: u64| format!("{wins} {} {losses}", results.draws);
            *text += &format!(
                "{name:<width$} {games:>8} {:>7}  {:<16}  {}\n",
                percent(score(black, white)),
                colour(black, black.black, black.white),
                colour(white, white.white, white.black),
            );
        }
        if players.len() > shown.len() {
            *text += &format!("{} more\n", count((players.len() - shown.len()) as u64, "player"));
        }
    }

    fn object(&self, all: &Statistics, files: u64) -> Value {
        let [first, second] = sides(all);
        let of = |results: &Results| {
            json!({
                "games": results.games(), first: results.black, "draws": results.draws, second: results.white,
                "unknown": results.unknown,
            })
        };
        let row = |name: &str, value: Value, results: &Results| {
            let mut row = of(results);
            row[name] = value;
            row
        };
        let rules = all.rules.iter().map(|(rule, of)| row("rule", json!(rule.map(|rule| rule.name())), of));
        let sizes = all.sizes.iter().map(|(size, of)| row("size", json!([size.width(), size.height()]), of));
        let openings = all.openings.iter().map(|(is, of)| row("opening", json!(is.map(|is| is.code)), of));
        let years = all.years.iter().map(|(year, of)| row("year", json!(year), of));
        let lengths = all.lengths.iter().map(|(plies, games)| json!({"plies": plies, "games": games}));
        let players = players(all).into_iter().take(self.top).map(|(name, [black, white])| {
            json!({
                "player": name, "games": black.games() + white.games(), "score": score(black, white),
                format!("as_{first}"): of(black), format!("as_{second}"): of(white),
            })
        });
        json!({
            "kifu": JSON, "files": files, "records": all.games + all.trees, "games": all.games, "trees": all.trees,
            "moves": all.moves, "results": of(&all.results), "rules": rules.collect::<Vec<_>>(),
            "sizes": sizes.collect::<Vec<_>>(), "openings": openings.collect::<Vec<_>>(),
            "years": years.collect::<Vec<_>>(), "lengths": lengths.collect::<Vec<_>>(),
            "median": all.median(), "mean": all.mean(), "player_count": all.players.len(),
            "players": players.collect::<Vec<_>>(),
        })
    }
}

/// What the sides are called; where games of both kinds are counted, by who begins.
fn sides(all: &Statistics) -> [&'static str; 2] {
    let game = match all.xiangqi {
        0 => Game::Gomoku,
        all_of_them if all_of_them == all.games + all.trees => Game::Xiangqi,
        _ => return ["first", "second"],
    };
    [Side::First, Side::Second].map(|side| side.name(game))
}

/// Puts what most games have first; the order of what has as many is one for all runs.
fn sort(all: &mut Statistics) {
    let by_games = |one: &Results, other: &Results| other.games().cmp(&one.games());
    all.rules.sort_by(|one, other| by_games(&one.1, &other.1).then(name_of(one.0).cmp(name_of(other.0))));
    let side = |size: games::Size| (size.width(), size.height());
    all.sizes.sort_by(|one, other| by_games(&one.1, &other.1).then(side(one.0).cmp(&side(other.0))));
    let code = |opening: Option<&'static games::gomoku::Opening>| opening.map(|opening| opening.code);
    all.openings.sort_by(|one, other| {
        // Games without an opening come last, however many they are.
        let none = |is: Option<_>| is.is_none();
        none(one.0).cmp(&none(other.0)).then(by_games(&one.1, &other.1)).then(code(one.0).cmp(&code(other.0)))
    });
}

fn name_of(rule: Option<games::Rule>) -> &'static str {
    rule.map_or("", |rule| rule.name())
}

/// The players, those of most games first.
fn players(all: &Statistics) -> Vec<(&str, &[Results; 2])> {
    let mut players: Vec<(&str, &[Results; 2])> = all.players.iter().map(|(name, of)| (name.as_str(), of)).collect();
    players.sort_by_key(|(_, [black, white])| std::cmp::Reverse(black.games() + white.games()));
    players
}

/// Wins and half of the draws among the games whose end is known.
fn score(black: &Results, white: &Results) -> Option<f64> {
    let known = |results: &Results| results.games() - results.unknown;
    let points = |results: &Results, side| results.score(side).unwrap_or(0.0) * known(results) as f64;
    let all = known(black) + known(white);
    (all > 0).then(|| (points(black, Side::First) + points(white, Side::Second)) / all as f64)
}

fn percent(score: Option<f64>) -> String {
    score.map_or("-".into(), |score| format!("{:.1} %", 100.0 * score))
}

/// A table of results, if it has more than one row or no name.
fn table(text: &mut String, [first, second]: [&str; 2], what: &str, rows: Vec<(String, Results)>) {
    if rows.len() == 1 && !what.is_empty() {
        *text += &format!("{what}: {}\n", rows[0].0);
        return;
    }
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(what.len());
    *text += &format!(
        "\n{what:<width$}    games {first:>8}    draws {second:>8}  unknown {:>14}\n",
        format!("{first}'s score")
    );
    for (name, results) in rows {
        let columns = [results.games(), results.black, results.draws, results.white, results.unknown].map(thousands);
        let [games, black, draws, white, unknown] = columns;
        *text += &format!(
            "{name:<width$} {games:>8} {black:>8} {draws:>8} {white:>8} {unknown:>8} {:>14}\n",
            percent(results.score(Side::First))
        );
    }
}
