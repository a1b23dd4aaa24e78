use record::{Bound, Entry, Judgement, Label, Rest};
use std::cmp::Ordering;
use std::str::FromStr;

/// Which value and which label stay where several books know a position.
///
/// Whatever the rule, games add up, and comments and texts are all kept. Values that are backed up are as of the last
/// back-up of their book: those of a merged book hold when it is backed up again.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Conflict {
    /// The value that proves a win or a loss, of several the one nearer to the end; else the deeper value, then the one
    /// with the better bound. The label that says more.
    #[default]
    BetterValueDepthBound,
    /// The deeper value, then the one with the better bound. The label that says more.
    BetterDepthBound,
    /// The value farther from zero. The label that says more.
    BetterValue,
    /// The label that says more, and the value that stands beside it.
    BetterLabel,
    /// The value of the last book that has one; the label likewise.
    Newer,
    /// The value of the first book that has one; the label likewise.
    First,
}

impl Conflict {
    /// All of them.
    pub const ALL: [Conflict; 6] = [
        Conflict::BetterValueDepthBound,
        Conflict::BetterDepthBound,
        Conflict::BetterValue,
        Conflict::BetterLabel,
        Conflict::Newer,
        Conflict::First,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Conflict::BetterValueDepthBound => "better-value-depth-bound",
            Conflict::BetterDepthBound => "better-depth-bound",
            Conflict::BetterValue => "better-value",
            Conflict::BetterLabel => "better-label",
            Conflict::Newer => "newer",
            Conflict::First => "first",
        }
    }

    /// Whether the result is the same in whatever order the books come.
    pub const fn is_symmetric(self) -> bool {
        !matches!(self, Conflict::Newer | Conflict::First)
    }

    /// Leaves in `entry` the value and the label that stay; `other` comes later.
    pub(crate) fn settle(self, entry: &mut Entry, other: &mut Entry) {
        let (value, label) = self.takes_other(entry, other);
        if value {
            entry.judgement = other.judgement.take();
        }
        if label {
            entry.label = other.label;
        }
        let rest = match self {
            Conflict::Newer => other.rest.is_some(),
            Conflict::First => entry.rest.is_none(),
            _ => weight_of_rest(&entry.rest) < weight_of_rest(&other.rest),
        };
        if rest {
            entry.rest = other.rest.take();
        }
        // It is to be computed anew; until then the same one stays in whatever order books come.
        entry.backed = entry.backed.max(other.backed);
    }

    /// Whether the value of the other one stays, and whether its label does.
    fn takes_other(self, entry: &Entry, other: &Entry) -> (bool, bool) {
        let better = |weigh: fn(&Judgement, &Judgement) -> Ordering| match (&entry.judgement, &other.judgement) {
            (Some(held), Some(new)) => weigh(held, new).is_lt(),
            (held, new) => held.is_none() && new.is_some(),
        };
        let says_more = strength(entry.label).cmp(&strength(other.label));
        match self {
            Conflict::BetterValueDepthBound => (better(by_proof), says_more.is_lt()),
            Conflict::BetterDepthBound => (better(by_depth_bound), says_more.is_lt()),
            Conflict::BetterValue => (better(by_value), says_more.is_lt()),
            Conflict::BetterLabel => {
                let both = says_more.is_lt() || says_more.is_eq() && better(by_depth_bound);
                (both, both)
            }
            Conflict::Newer => (other.judgement.is_some(), other.label != Label::None),
            Conflict::First => (entry.judgement.is_none(), entry.label == Label::None),
        }
    }
}

impl FromStr for Conflict {
    type Err = String;

    /// Reads a name; Rapfi's spelling with `_`, its `always` and its `disabled` are understood, too.
    fn from_str(text: &str) -> Result<Conflict, String> {
        let text = text.to_ascii_lowercase().replace('_', "-");
        let text = match text.as_str() {
            "always" => "newer",
            "disabled" => "first",
            other => other,
        };
        Conflict::ALL.into_iter().find(|rule| rule.name() == text).ok_or_else(|| {
            format!("`{text}` is not a rule of conflict: write one of {}", Conflict::ALL.map(Conflict::name).join(", "))
        })
    }
}

/// How near to the end a proven win or loss is; 0 for what proves nothing.
fn proof(judgement: &Judgement) -> u32 {
    let against = if judgement.value > 0 { Bound::Upper } else { Bound::Lower };
    let is_proof = judgement.plies_to_end().is_some() && judgement.bound != against;
    if is_proof { judgement.value.unsigned_abs() } else { 0 }
}

fn by_proof(one: &Judgement, other: &Judgement) -> Ordering {
    proof(one).cmp(&proof(other)).then_with(|| by_depth_bound(one, other))
}

/// What is proven stays, then the deepest.
fn weight_of_rest(rest: &Option<Rest>) -> impl Ord + '_ {
    rest.as_ref().map(|rest| {
        let Rest { play, judgement, proven } = rest;
        let weight = judgement.as_ref().map(|judgement| {
            let Judgement { value, bound, depth, nodes, scale, source } = judgement;
            (*depth, *bound, *nodes, *value, *scale, source.as_str())
        });
        (*proven, weight, play.map(|play| play.point()))
    })
}

fn by_depth_bound(one: &Judgement, other: &Judgement) -> Ordering {
    fn weight(judgement: &Judgement) -> impl Ord + '_ {
        let Judgement { value, bound, depth, nodes, scale, source } = judgement;
        (*depth, *bound, *nodes, *value, *scale, source.as_str())
    }
    weight(one).cmp(&weight(other))
}

fn by_value(one: &Judgement, other: &Judgement) -> Ordering {
    let far = |judgement: &Judgement| judgement.value.unsigned_abs();
    far(one).cmp(&far(other)).then_with(|| by_depth_bound(one, other))
}

/// How much a label says: how the game ends, what to play, what a user means by it.
fn strength(label: Label) -> (u8, u8) {
    match label {
        Label::None => (0, 0),
        Label::Null => (1, 0),
        Label::User(byte) => (2, byte),
        Label::Blocked => (3, 0),
        Label::Forced => (4, 0),
        Label::Draw => (5, 0),
        Label::Loss => (6, 0),
        Label::Win => (7, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: i32, depth: i16, bound: Bound, label: Label) -> Entry {
        let judgement = Judgement { value, bound, depth, nodes: None, scale: Judgement::SCALE, source: String::new() };
        Entry { judgement: Some(judgement), label, ..Entry::default() }
    }

    /// The value and the label that stay of two.
    fn stays(rule: Conflict, one: &Entry, other: &Entry) -> (i32, Label) {
        let (mut one, mut other) = (one.clone(), other.clone());
        rule.settle(&mut one, &mut other);
        (one.judgement.unwrap().value, one.label)
    }

    #[test]
    fn each_rule_keeps_what_its_name_says() {
        let deep = known(40, 20, Bound::Exact, Label::User(b'a'));
        let far = known(-300, 6, Bound::Lower, Label::Win);
        let won = known(29_990, 9, Bound::Lower, Label::None);
        for (rule, wanted) in [
            (Conflict::BetterValueDepthBound, (40, Label::Win)),
            (Conflict::BetterDepthBound, (40, Label::Win)),
            (Conflict::BetterValue, (-300, Label::Win)),
            (Conflict::BetterLabel, (-300, Label::Win)),
        ] {
            assert_eq!(stays(rule, &deep, &far), wanted, "{}", rule.name());
            assert_eq!(stays(rule, &far, &deep), wanted, "{}", rule.name());
        }
        assert_eq!(stays(Conflict::BetterValueDepthBound, &deep, &won), (29_990, Label::User(b'a')));
        assert_eq!(stays(Conflict::BetterDepthBound, &deep, &won), (40, Label::User(b'a')));
        assert_eq!(stays(Conflict::Newer, &deep, &won), (29_990, Label::User(b'a')));
        assert_eq!(stays(Conflict::First, &won, &deep), (29_990, Label::User(b'a')));
    }

    #[test]
    fn a_bound_that_leaves_the_end_open_proves_nothing() {
        let at_most_won = known(29_990, 3, Bound::Upper, Label::None);
        let deep = known(40, 20, Bound::Exact, Label::None);
        assert_eq!(stays(Conflict::BetterValueDepthBound, &deep, &at_most_won).0, 40);
        let lost = known(-29_990, 3, Bound::Upper, Label::None);
        let lost_later = known(-29_900, 30, Bound::Exact, Label::None);
        assert_eq!(stays(Conflict::BetterValueDepthBound, &lost, &lost_later).0, -29_990);
    }

    #[test]
    fn names_are_read_as_rapfi_spells_them() {
        for rule in Conflict::ALL {
            assert_eq!(rule.name().parse(), Ok(rule));
            assert_eq!(rule.name().replace('-', "_").parse(), Ok(rule));
        }
        assert_eq!("always".parse(), Ok(Conflict::Newer));
        assert_eq!("disabled".parse(), Ok(Conflict::First));
        assert!("best".parse::<Conflict>().unwrap_err().contains("better-label"));
    }
}
