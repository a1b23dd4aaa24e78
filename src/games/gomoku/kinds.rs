use std::fmt;

/// Why a point is forbidden to Black.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A row of six or more.
    Overline,
    /// Two fours or more at once.
    DoubleFour,
    /// Two threes or more at once.
    DoubleThree,
}

impl Kind {
    /// All three.
    pub const ALL: [Kind; 3] = [Kind::Overline, Kind::DoubleFour, Kind::DoubleThree];

    /// The name used on the command line and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Overline => "overline",
            Kind::DoubleFour => "double-four",
            Kind::DoubleThree => "double-three",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// All reasons why a point is forbidden; none for a legal point.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Default)]
pub struct Kinds(u8);

impl Kinds {
    /// No reason: the point is legal.
    pub const NONE: Kinds = Kinds(0);

    /// These and one more.
    #[must_use]
    pub const fn with(self, kind: Kind) -> Kinds {
        Kinds(self.0 | 1 << kind as u8)
    }

    /// Whether the point is legal.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this is one of the reasons.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    /// The reasons, in the order of [`Kind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<T: IntoIterator<Item = Kind>>(kinds: T) -> Kinds {
        kinds.into_iter().fold(Kinds::NONE, Kinds::with)
    }
}

impl fmt::Debug for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
