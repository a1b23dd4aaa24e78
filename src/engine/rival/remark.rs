/// What an engine says of its search, where it says it as Rapfi and Yixin do; all from the view of the side that moves.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Remark {
    /// Its judgement.
    pub eval: Option<Eval>,
    /// The depth in plies.
    pub depth: Option<u16>,
    /// The nodes of the search, as exactly as it says.
    pub nodes: Option<u64>,
}

/// An engine's judgement; nothing here is proven.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Eval {
    /// On its own scale.
    Points(i32),
    /// It wins in so many plies.
    Wins(u16),
    /// It loses in so many plies.
    Loses(u16),
}

impl Remark {
    /// Takes what a line of `MESSAGE` or `INFO` says; what it does not say stays.
    pub(super) fn read(&mut self, line: &str) {
        let words = line.split(|c: char| c.is_whitespace() || c == '|').filter(|word| !word.is_empty());
        let mut before = "";
        for word in words {
            let name = before.trim_end_matches([':', '=']);
            let is = |known: &str| name.eq_ignore_ascii_case(known);
            if is("eval") || is("ev") {
                self.eval = Eval::read(word).or(self.eval);
            } else if is("depth") {
                let depth = word.split('-').next().unwrap_or(word);
                self.depth = depth.parse().ok().or(self.depth);
            } else if ["node", "nodes", "totalnodes"].into_iter().any(is) {
                self.nodes = number(word).or(self.nodes);
            }
            before = word;
        }
    }
}

impl Eval {
    pub(super) fn read(word: &str) -> Option<Eval> {
        let mate = |rest: &str| rest.parse().ok();
        if let Some(rest) = word.strip_prefix("+M") {
            return mate(rest).map(Eval::Wins);
        }
        if let Some(rest) = word.strip_prefix("-M") {
            return mate(rest).map(Eval::Loses);
        }
        word.parse().ok().map(Eval::Points)
    }
}

/// `1234`, `12K`, `3M`, `1G`.
pub(super) fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &word[digits.len()..] {
        "" => 1,
        "K" | "k" => 1_000,
        "M" => 1_000_000,
        "G" | "B" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_engines_say_of_their_search_is_read() {
        let read = |lines: &[&str]| {
            let mut remark = Remark::default();
            lines.iter().for_each(|line| remark.read(line));
            (remark.eval, remark.depth, remark.nodes)
        };
        let rapfi = "MESSAGE Depth 21-47 | Eval -764 | Time 120ms | H8 I9";
        assert_eq!(read(&[rapfi]), (Some(Eval::Points(-764)), Some(21), None));
        let last = "MESSAGE Speed 17K | Depth 5-5 | Eval +M11 | Node 2K | Time 152ms";
        assert_eq!(read(&[rapfi, last]), (Some(Eval::Wins(11)), Some(5), Some(2000)));
        assert_eq!(read(&["INFO EVAL -M8", "INFO TOTALNODES 123456"]), (Some(Eval::Loses(8)), None, Some(123_456)));
        assert_eq!(read(&["MESSAGE eval: 12 depth: x"]), (Some(Eval::Points(12)), None, None));
        assert_eq!(read(&["MESSAGE Eval", "MESSAGE Eval +M99999999 | Node é | Node 99999999999G"]), (None, None, None));
    }
}
