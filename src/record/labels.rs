//! Board texts that stand for labels and values, as Rapfi and people write them into libraries, in both directions.

use crate::Label;
use games::Side;

/// Which board texts are labels or values, and what they mean.
///
/// A text is one only as a whole. All schemes but the empty one know Rapfi's: `W` and `L` (the move wins, loses), behind
/// them the ply at which the game ends, and `*`; `v42` and `m42`, a value for the side that made the move and for the
/// one that moves next; `52%`, the win rate of the side that made the move.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Labels {
    knows_rapfi: bool,
    /// They come before Rapfi's.
    marks: Vec<Mark>,
}

/// A text of the user's own.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Mark {
    /// What stands before the number of plies, or the whole text.
    before: String,
    /// What stands behind it, if there is one.
    after: Option<String>,
    meaning: Meaning,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Meaning {
    /// This label of the move.
    Of(Label),
    /// This side wins.
    Wins(Side),
}

/// What a board text says of the position that a move on its point leads to.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Of the move, for the side that makes it.
    pub label: Label,
    /// From the side that moves next; a win in n plies is 30000 - n.
    pub value: Option<i32>,
}

/// The kinds of texts that are labels.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LabelKind {
    /// `W`, `L41`.
    Decided,
    /// `v42`, `m-3`.
    Value,
    /// `52%`.
    Rate,
    /// A mark of the user's.
    Mark,
}

impl LabelKind {
    /// All of them.
    pub const ALL: [LabelKind; 4] = [LabelKind::Decided, LabelKind::Value, LabelKind::Rate, LabelKind::Mark];
}

/// A text that stands for a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelled {
    /// The text.
    pub text: String,
    /// Whether it says all of the verdict and nothing more.
    pub is_whole: bool,
}

/// Values beyond it are wins and losses in so many plies.
const DECIDED: i32 = 29_500;
const WON: i32 = 30_000;
/// K of Rapfi's win rates.
const SCALE: f64 = 200.0;

impl Labels {
    /// No text is a label.
    pub fn none() -> Labels {
        Labels::default()
    }

    /// Texts as Rapfi writes and reads them.
    pub fn rapfi() -> Labels {
        Labels { knows_rapfi: true, marks: Vec::new() }
    }

    /// As [`Labels::rapfi`], and `a` and `c`: the side that made the move wins, or loses.
    pub fn mover() -> Labels {
        let marks = [("a", Meaning::Of(Label::Win)), ("c", Meaning::Of(Label::Loss))];
        Labels { marks: marks.map(|(text, meaning)| Mark::new(text, meaning)).into(), ..Labels::rapfi() }
    }

    /// As [`Labels::rapfi`], and `a` and `c`: Black wins, or White does.
    pub fn colour() -> Labels {
        let marks = [("a", Meaning::Wins(Side::First)), ("c", Meaning::Wins(Side::Second))];
        Labels { marks: marks.map(|(text, meaning)| Mark::new(text, meaning)).into(), ..Labels::rapfi() }
    }

    /// As [`Labels::rapfi`], and the marks of a list: on each line a text and behind it, after a blank, what it means: win,
    /// loss, draw, forced, blocked (of the move), black or white (who wins). `#` in a text stands for the ply at which the
    /// game ends. Lines that begin with `;` are passed over. An error tells the line.
    pub fn from_list(list: &str) -> Result<Labels, String> {
        let mut labels = Labels::rapfi();
        for (number, line) in list.lines().enumerate() {
            let line = line.trim_start_matches('\u{FEFF}').trim();
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            let wrong = |what: String| format!("line {}: {what}", number + 1);
            let (text, word) = line.rsplit_once(char::is_whitespace).ok_or_else(|| {
                wrong(format!("`{line}` has no meaning behind it: write a text, a blank, and a word such as win"))
            })?;
            let meaning = Meaning::named(word).ok_or_else(|| {
                wrong(format!("`{word}` is no meaning: write win, loss, draw, forced, blocked, black or white"))
            })?;
            let mark = Mark::new(text.trim(), meaning);
            if mark.before.is_empty() && mark.after.as_ref().is_some_and(String::is_empty) {
                return Err(wrong("a number alone is no mark".into()));
            }
            labels.marks.push(mark);
        }
        Ok(labels)
    }

    /// Whether no text is a label.
    pub fn is_none(&self) -> bool {
        *self == Labels::none()
    }

    /// What a text says of the position after a move of `mover`, which is the `ply`th stone on the board.
    ///
    /// The plies in texts are counted from the empty board, those in values from the position: a number that is before
    /// the position, or far behind it, gives the label alone.
    pub fn read(&self, text: &str, mover: Side, ply: usize) -> Option<(LabelKind, Verdict)> {
        let text = text.trim();
        for mark in &self.marks {
            if let Some(end) = mark.matches(text) {
                let label = mark.meaning.label(mover);
                return Some((LabelKind::Mark, Verdict { label, value: distance(label, end, ply) }));
            }
        }
        if self.knows_rapfi { rapfi(text, ply) } else { None }
    }

    /// The text for a verdict on a move of `mover`, which is the `ply`th stone on the board; the twin of
    /// [`Labels::read`]. Wins and losses in so many plies come first, then labels, then values; `None` if there is no text.
    pub fn text(&self, verdict: Verdict, mover: Side, ply: usize) -> Option<Spelled> {
        let Verdict { label, value } = verdict;
        if let Some(value) = value.filter(|value| value.abs() > DECIDED && value.abs() <= WON) {
            let decided = if value < 0 { Label::Win } else { Label::Loss };
            if label == Label::None || label == decided {
                let end = (ply as i64 + i64::from(WON - value.abs())).to_string();
                let mark = self.mark(decided, mover, true).map(|mark| mark.text(&end));
                let text = mark.or_else(|| self.letter(decided).map(|letter| letter.to_owned() + &end))?;
                return Some(Spelled { text, is_whole: label == decided });
            }
        }
        if let Some(text) = self.label_text(label, mover) {
            return Some(Spelled { text, is_whole: value.is_none() });
        }
        let value = value.filter(|value| self.knows_rapfi && value.abs() <= DECIDED)?;
        Some(Spelled { text: format!("v{}", -value), is_whole: label == Label::None })
    }

    fn label_text(&self, label: Label, mover: Side) -> Option<String> {
        let mark = self.mark(label, mover, false).map(|mark| mark.before.clone());
        mark.or_else(|| self.letter(label).map(str::to_owned))
    }

    fn letter(&self, label: Label) -> Option<&'static str> {
        match label {
            Label::Win if self.knows_rapfi => Some("W"),
            Label::Loss if self.knows_rapfi => Some("L"),
            _ => None,
        }
    }

    /// The first mark for a label, with a number or without.
    fn mark(&self, label: Label, mover: Side, numbered: bool) -> Option<&Mark> {
        self.marks.iter().find(|mark| mark.after.is_some() == numbered && mark.meaning.label(mover) == label)
    }
}

impl Mark {
    fn new(text: &str, meaning: Meaning) -> Mark {
        match text.split_once('#') {
            Some((before, after)) => Mark { before: before.into(), after: Some(after.into()), meaning },
            None => Mark { before: text.into(), after: None, meaning },
        }
    }

    /// Whether the text is this mark, and then the ply it names.
    fn matches(&self, text: &str) -> Option<Option<u64>> {
        let rest = text.strip_prefix(self.before.as_str())?;
        match &self.after {
            None => rest.is_empty().then_some(None),
            Some(after) => digits(rest.strip_suffix(after.as_str())?).map(Some),
        }
    }

    fn text(&self, end: &str) -> String {
        format!("{}{end}{}", self.before, self.after.as_deref().unwrap_or_default())
    }
}

impl Meaning {
    fn named(word: &str) -> Option<Meaning> {
        Some(match word {
            "win" => Meaning::Of(Label::Win),
            "loss" => Meaning::Of(Label::Loss),
            "draw" => Meaning::Of(Label::Draw),
            "forced" => Meaning::Of(Label::Forced),
            "blocked" => Meaning::Of(Label::Blocked),
            "black" => Meaning::Wins(Side::First),
            "white" => Meaning::Wins(Side::Second),
            _ => return None,
        })
    }

    fn label(self, mover: Side) -> Label {
        match self {
            Meaning::Of(label) => label,
            Meaning::Wins(side) if side == mover => Label::Win,
            Meaning::Wins(_) => Label::Loss,
        }
    }
}

fn rapfi(text: &str, ply: usize) -> Option<(LabelKind, Verdict)> {
    let (first, rest) = text.split_at_checked(1)?;
    match first {
        "W" | "L" => {
            let rest = rest.strip_suffix('*').unwrap_or(rest);
            let end = if rest.is_empty() { None } else { Some(digits(rest)?) };
            let label = if first == "W" { Label::Win } else { Label::Loss };
            Some((LabelKind::Decided, Verdict { label, value: distance(label, end, ply) }))
        }
        "v" | "m" => {
            let number = digits(rest.strip_prefix('-').unwrap_or(rest))?;
            let number = i32::try_from(number).ok().filter(|number| *number <= DECIDED)?;
            // The view of the side that made the move is the opposite of the next one's.
            let value = if rest.starts_with('-') == (first == "v") { number } else { -number };
            Some((LabelKind::Value, Verdict { value: Some(value), ..Verdict::default() }))
        }
        _ => {
            let rate = text.strip_suffix('%')?;
            let (whole, part) = rate.split_once('.').unwrap_or((rate, "0"));
            let is_number = digits(whole).is_some_and(|whole| whole < 100) && digits(part).is_some();
            let share = rate.parse::<f64>().ok().filter(|share| is_number && *share > 0.0)? / 100.0;
            let value = -(SCALE * (share / (1.0 - share)).ln()).round() as i32;
            Some((LabelKind::Rate, Verdict { value: Some(value), ..Verdict::default() }))
        }
    }
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The value of a position whose game ends at this ply, for the side that moves next.
fn distance(label: Label, end: Option<u64>, ply: usize) -> Option<i32> {
    let plies = end?.checked_sub(ply as u64)?;
    let value = WON - i32::try_from(plies).ok().filter(|plies| *plies < WON - DECIDED)?;
    match label {
        Label::Win => Some(-value),
        Label::Loss => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LabelKind::*;

    fn verdict(label: Label, value: Option<i32>) -> Verdict {
        Verdict { label, value }
    }

    #[test]
    fn texts_are_read_as_rapfi_means_them() {
        for (text, kind, label, value) in [
            ("W", Decided, Label::Win, None),
            ("L", Decided, Label::Loss, None),
            ("W41", Decided, Label::Win, Some(-29_961)),
            ("W41*", Decided, Label::Win, Some(-29_961)),
            (" L39 ", Decided, Label::Loss, Some(29_963)),
            ("W1", Decided, Label::Win, None),
            ("W99999999999999999999", Decided, Label::Win, None),
            ("v42", Value, Label::None, Some(-42)),
            ("v-42", Value, Label::None, Some(42)),
            ("m42", Value, Label::None, Some(42)),
            ("m-42", Value, Label::None, Some(-42)),
            ("50%", Rate, Label::None, Some(0)),
            ("52%", Rate, Label::None, Some(-16)),
            ("47.5%", Rate, Label::None, Some(20)),
        ] {
            let read = Labels::rapfi().read(text, Side::Second, 2);
            // A number too large for any game is no number of plies.
            let expected = (text.len() < 20).then_some((kind, verdict(label, value)));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn texts_of_people_are_no_labels() {
        // What Rapfi takes for labels by their first letters (L2).
        for text in ["White wins here", "Long line", "attack!", "check this", "main", "variation"] {
            assert_eq!(Labels::mover().read(text, Side::First, 1), None, "{text}");
        }
        for text in
            ["", "w", "l4", "A", "c5", "a1", "W+", "W-3", "W 41", "W41**", "W*4", "AW12", "v", "v4.2", "v+4", "m--4"]
        {
            assert_eq!(Labels::mover().read(text, Side::First, 1), None, "{text}");
        }
        for text in ["%", "0%", "100%", "5a%", "-5%", "1e1%", ".5%", "99999999999", "v30000", "黑", "W４"] {
            assert_eq!(Labels::mover().read(text, Side::First, 1), None, "{text}");
        }
        assert_eq!(Labels::rapfi().read("a", Side::First, 1), None);
        assert_eq!(Labels::none().read("W", Side::First, 1), None);
    }

    #[test]
    fn marks_speak_of_the_mover_or_of_a_colour() {
        let label = |labels: Labels, text, mover| labels.read(text, mover, 1).unwrap().1.label;
        for (text, mover, by_mover, by_colour) in [
            ("a", Side::First, Label::Win, Label::Win),
            ("a", Side::Second, Label::Win, Label::Loss),
            ("c", Side::First, Label::Loss, Label::Loss),
            ("c", Side::Second, Label::Loss, Label::Win),
        ] {
            assert_eq!(label(Labels::mover(), text, mover), by_mover);
            assert_eq!(label(Labels::colour(), text, mover), by_colour);
        }
    }

    #[test]
    fn lists_of_marks_say_what_their_texts_mean() {
        let labels = Labels::from_list("; mine\n\nB# black\nW# white\n● win\ngood move! win\n? blocked\n").unwrap();
        let read = |text, mover| labels.read(text, mover, 3).map(|(_, verdict)| verdict);
        assert_eq!(read("B9", Side::First), Some(verdict(Label::Win, Some(-29_994))));
        assert_eq!(read("W9", Side::First), Some(verdict(Label::Loss, Some(29_994))));
        assert_eq!(read("W", Side::First), Some(verdict(Label::Win, None)));
        assert_eq!(read("good move!", Side::Second), Some(verdict(Label::Win, None)));
        assert_eq!(read("?", Side::Second), Some(verdict(Label::Blocked, None)));
        assert_eq!(read("v7", Side::Second), Some(verdict(Label::None, Some(-7))));
        assert_eq!(Labels::from_list("a win\nb\n").unwrap_err().split(':').next(), Some("line 2"));
        assert!(Labels::from_list("a wins").unwrap_err().contains("`wins` is no meaning"));
        assert!(Labels::from_list("# win").is_err());
    }

    #[test]
    fn verdicts_come_back_from_their_texts_at_any_ply() {
        let list = Labels::from_list("B# black\nW# white\n+ win\n= draw\n! forced\nx blocked").unwrap();
        let labels = [Label::None, Label::Win, Label::Loss, Label::Draw, Label::Forced, Label::Blocked];
        let values =
            [None, Some(0), Some(-120), Some(29_500), Some(29_501), Some(-29_999), Some(-29_501), Some(30_000)];
        for scheme in [Labels::rapfi(), Labels::mover(), Labels::colour(), list] {
            for mover in [Side::First, Side::Second] {
                for ply in [1, 2, 41, 225] {
                    for label in labels {
                        for value in values {
                            let told = verdict(label, value);
                            let Some(spelled) = scheme.text(told, mover, ply) else { continue };
                            let (_, read) = scheme.read(&spelled.text, mover, ply).unwrap();
                            assert_eq!(read == told, spelled.is_whole, "{told:?} {spelled:?}");
                            // What is not whole is at least not wrong.
                            assert!(read.label == label || label == Label::None || read.label == Label::None);
                            assert!(read.value == value || read.value.is_none());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn distances_stay_as_they_are_on_every_trip() {
        // Rapfi loses three plies on each (L5), and value and depth as well (L6).
        let mut text = "W21".to_owned();
        for _ in 0..4 {
            let (_, verdict) = Labels::rapfi().read(&text, Side::First, 3).unwrap();
            assert_eq!(verdict.value, Some(-29_982));
            text = Labels::rapfi().text(verdict, Side::First, 3).unwrap().text;
            assert_eq!(text, "W21");
        }
        let value = verdict(Label::None, Some(-37));
        assert_eq!(
            Labels::rapfi().text(value, Side::First, 3).unwrap(),
            Spelled { text: "v37".into(), is_whole: true }
        );
        assert_eq!(Labels::none().text(value, Side::First, 3), None);
        assert_eq!(Labels::rapfi().text(verdict(Label::Draw, None), Side::First, 3), None);
    }
}
