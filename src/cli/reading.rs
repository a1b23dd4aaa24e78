use super::input::Input;
use super::progress::{Bar, PROGRESS};
use super::terminal::thousands;
use ::formats::{
    Error, Faults, Format, Guess, ReadOptions, Reading, Severity, Strictness, Sure, by_extension, by_name,
    label_to_encoding,
};
use clap::Args;
use encoding_rs::Encoding;
use games::{Coords, Size};
use record::Record;

/// How inputs are read; the same for all commands.
#[derive(Args)]
pub struct ReadArgs {
    /// Format of the input, by name or extension [default: told by the file]
    #[arg(short = 'f', long = "from", value_parser = format, value_name = "FORMAT")]
    pub from: Option<&'static Format>,
    /// Encoding of the texts in .lib and SGF files [default: guessed], such as gbk, shift_jis, cp1251
    #[arg(long, value_parser = encoding, value_name = "NAME")]
    encoding: Option<&'static Encoding>,
    /// Board where the input does not say it, such as 15 or 15x12
    #[arg(long)]
    pub size: Option<Size>,
    /// Refuse input that is not to the letter
    #[arg(long, conflicts_with = "lenient")]
    strict: bool,
    /// Keep what stands before a fault that would end the reading
    #[arg(long)]
    lenient: bool,
}

/// The format of a name or an extension on the command line.
pub fn format(name: &str) -> Result<&'static Format, String> {
    let known = by_name(name).or_else(|| by_extension(name.trim_start_matches('.')));
    known.ok_or_else(|| format!("`{name}` is not a format: see `kifu formats`"))
}

/// The encoding of a name on the command line.
pub fn encoding(name: &str) -> Result<&'static Encoding, String> {
    label_to_encoding(name).ok_or_else(|| {
        format!("`{name}` is not an encoding I know: write utf-8, gbk, big5, shift_jis, euc-kr, cp1251, ...")
    })
}

/// What `--strict` and `--lenient` ask for.
pub fn strictness(strict: bool, lenient: bool) -> Strictness {
    match (strict, lenient) {
        (true, _) => Strictness::Strict,
        (_, true) => Strictness::Lenient,
        _ => Strictness::Normal,
    }
}

/// What a user should know of a reading that kept one fault of each kind: damage, and an encoding that is a guess.
pub fn forgiven(faults: &Faults, guess: Option<Guess>) -> Vec<String> {
    let mut lines = Vec::new();
    for fault in faults.list().iter().filter(|fault| fault.severity == Severity::Damage) {
        let more = faults.count(fault.kind) - 1;
        let more = if more > 0 { format!(", and {} more like it", thousands(more)) } else { String::new() };
        lines.push(format!("{fault}{more}"));
    }
    if let Some(guess) = guess.filter(|guess| matches!(guess.sure, Sure::Likely | Sure::Unsure)) {
        let (name, sure) = (guess.encoding.name(), guess.sure.name());
        lines.push(format!("the texts are taken for {name} ({sure}): --encoding names another"));
    }
    lines
}

/// What reading a file told, apart from its records.
pub struct Told {
    /// The format it was read as.
    pub format: &'static Format,
    /// What was forgiven.
    pub faults: Faults,
    /// How many records were left out because they cannot be read.
    pub left_out: u64,
    /// The encoding of the texts, where the format does not fix it.
    pub encoding: Option<Guess>,
    /// The version the file states.
    pub version: Option<String>,
    /// Whether it was read to its end.
    pub result: Result<(), Error>,
}

impl Told {
    /// What was told if the file was read to its end.
    pub fn whole(mut self) -> Result<Told, Error> {
        std::mem::replace(&mut self.result, Ok(())).map(|()| self)
    }
}

impl ReadArgs {
    /// The options of a reader; points in inputs that leave it open are in `coords`.
    pub fn options(&self, coords: Coords, keep_faults: u64) -> ReadOptions {
        let strictness = strictness(self.strict, self.lenient);
        ReadOptions { strictness, encoding: self.encoding, coords, size: self.size, keep_faults }
    }

    /// The format the user named, else the one the bytes and the extension tell.
    pub fn format(&self, input: &Input) -> Result<&'static Format, Error> {
        self.from.map_or_else(|| input.format(), Ok)
    }

    /// Reads all records of an input; an error means that its format is not known.
    pub fn read(
        &self,
        input: &Input,
        options: &ReadOptions,
        each: &mut dyn FnMut(Record) -> Result<(), Error>,
    ) -> Result<Told, Error> {
        let format = self.format(input)?;
        let mut reading = Reading::new(format.name, options, &PROGRESS, each);
        let result = (format.read)(input, &mut reading);
        let left_out = reading.left_out();
        let Reading { faults, encoding, version, .. } = reading;
        Ok(Told { format, faults, left_out, encoding, version, result })
    }

    /// As [`ReadArgs::read`], with a bar of this input alone.
    pub fn watch(
        &self,
        input: &Input,
        options: &ReadOptions,
        each: &mut dyn FnMut(Record) -> Result<(), Error>,
    ) -> Result<Told, Error> {
        let _bar = Bar::watch(input.len() as u64);
        self.read(input, options, each)
    }
}
