use std::fmt;
use std::str::FromStr;

/// How a three is read whose growing point would also make a five on another line.
///
/// Public programs differ: Piskvork and Rapfi read it as [`Three::Rif`], quintet as [`Three::Strict`].
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Three {
    /// It is no three. The rules of the Renju International Federation call a three a row "to which you, without at
    /// the same time a five in a row is made, can add one more stone to attain a straight four".
    #[default]
    Rif,
    /// It is a three like any other: a five is legal, and so the straight four can be attained.
    Strict,
}

impl Three {
    /// Both readings.
    pub const ALL: [Three; 2] = [Three::Rif, Three::Strict];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Three::Rif => "rif",
            Three::Strict => "strict",
        }
    }
}

impl fmt::Display for Three {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Three {
    type Err = String;

    fn from_str(text: &str) -> Result<Three, String> {
        Three::ALL
            .into_iter()
            .find(|three| three.name() == text)
            .ok_or_else(|| format!("`{text}` is not a reading of the three: write rif or strict"))
    }
}
