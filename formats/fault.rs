use crate::Place;
use crate::error::write_placed;
use std::fmt;

/// How bad a fault is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Legal, and worth naming; no reading refuses it.
    Remark,
    /// A habit of some program; nothing is missing.
    Quirk,
    /// Something may be missing or wrong; what could be recovered was.
    Damage,
}

/// Something in a file that is not to the letter of its format and was forgiven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// A short name in words joined by hyphens, the same for all faults of this kind; listed in the format's SPEC.md.
    pub kind: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found and, behind a colon, what was made of it; no place.
    pub message: String,
    /// Where.
    pub place: Place,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_placed(f, &self.message, &self.place)
    }
}

/// The faults of a file, counted by kind; the first of each kind are kept whole.
#[derive(Clone, Debug)]
pub struct Faults {
    keep: u64,
    counts: Vec<(&'static str, Severity, u64)>,
    list: Vec<Fault>,
}

impl Faults {
    /// Keeps the first `keep` faults of each kind whole, so that a hostile file cannot fill the memory.
    pub fn new(keep: u64) -> Faults {
        Faults { keep, counts: Vec::new(), list: Vec::new() }
    }

    /// Counts a fault; `fault` is called only if it is kept.
    pub fn push(&mut self, kind: &'static str, severity: Severity, fault: impl FnOnce() -> (Place, String)) {
        let at = self.counts.iter().position(|(name, ..)| *name == kind).unwrap_or_else(|| {
            self.counts.push((kind, severity, 0));
            self.counts.len() - 1
        });
        self.counts[at].2 += 1;
        if self.counts[at].2 <= self.keep {
            let (place, message) = fault();
            self.list.push(Fault { kind, severity, message, place });
        }
    }

    /// Takes in the faults of another pass over the same file.
    pub fn append(&mut self, mut other: Faults) {
        for (name, severity, count) in other.counts {
            match self.counts.iter_mut().find(|(known, ..)| *known == name) {
                Some((.., counted)) => *counted += count,
                None => self.counts.push((name, severity, count)),
            }
        }
        self.list.append(&mut other.list);
    }

    /// Kinds in the order of their first fault: name, severity, how many.
    pub fn counts(&self) -> &[(&'static str, Severity, u64)] {
        &self.counts
    }

    /// How many faults of this kind there are.
    pub fn count(&self, kind: &str) -> u64 {
        self.counts.iter().find(|(name, ..)| *name == kind).map_or(0, |count| count.2)
    }

    /// The faults that were kept, in the order of the file.
    pub fn list(&self) -> &[Fault] {
        &self.list
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Whether something may be missing.
    pub fn damage(&self) -> bool {
        self.counts.iter().any(|(_, severity, _)| *severity == Severity::Damage)
    }
}
