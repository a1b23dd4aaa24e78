use super::binding::Binding;
use super::input::Input;
use super::kind::Kind;
use super::progress::{Bar, PROGRESS};
use super::terminal::thousands;
use ::formats::{
    Blame, EntryFormat, EntryReading, Error, Fault, Faults, Format, Guess, ReadOptions, Reading, Severity, Strictness,
    Sure, label_to_encoding,
};
use clap::Args;
use encoding_rs::Encoding;
use games::{Coords, Size};
use record::{Entry, Key, Record};

/// How inputs are read; the same for all commands.
#[derive(Args, Default)]
pub struct ReadArgs {
    /// Format of the input, by name or extension [default: told by the file]
    #[arg(short = 'f', long = "from", value_parser = Kind::parse, value_name = "FORMAT")]
    pub from: Option<Kind>,
    /// Encoding of the texts in .lib, SGF, .db and .csv files [default: guessed], such as gbk, shift_jis, cp1251
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

/// The encoding of a name on the command line.
pub fn encoding(name: &str) -> Result<&'static Encoding, String> {
    label_to_encoding(name).ok_or_else(|| {
        format!("`{name}` is not an encoding I know: write utf-8, gbk, big5, shift_jis, euc-kr, cp1251, ...")
    })
}

/// What `--strict` and `--lenient` ask for.
fn strictness(strict: bool, lenient: bool) -> Strictness {
    match (strict, lenient) {
        (true, _) => Strictness::Strict,
        (_, true) => Strictness::Lenient,
        _ => Strictness::Normal,
    }
}

/// What a user should know of a reading that kept one fault of each kind: damage, and an encoding that is a guess.
pub fn forgiven(faults: &Faults, guess: Option<Guess>) -> Vec<String> {
    let mut lines = told(faults, |fault| fault.severity == Severity::Damage);
    if let Some(guess) = guess.filter(|guess| matches!(guess.sure, Sure::Likely | Sure::Unsure)) {
        let (name, sure) = (guess.encoding.name(), guess.sure.name());
        lines.push(format!("the texts are taken for {name} ({sure}): --encoding names another"));
    }
    lines
}

/// What of a file of positions was passed over because its name is not known, as [`forgiven`] tells damage.
pub fn passed_over(faults: &Faults) -> Vec<String> {
    told(faults, |fault| matches!(fault.kind, "unknown-member" | "unknown-column"))
}

/// The faults that are wanted, each kind in a line.
fn told(faults: &Faults, is_wanted: impl Fn(&Fault) -> bool) -> Vec<String> {
    let line = |fault: &Fault| {
        let more = faults.count(fault.kind) - 1;
        let more = if more > 0 { format!(", and {} more like it", thousands(more)) } else { String::new() };
        format!("{fault}{more}")
    };
    faults.list().iter().filter(|fault| is_wanted(fault)).map(line).collect()
}

/// What reading a file told, apart from its records or positions.
pub struct Told<F: 'static = Format> {
    /// The format it was read as.
    pub format: &'static F,
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

impl<F> Told<F> {
    /// What was told if the file was read to its end.
    pub fn whole(mut self) -> Result<Told<F>, Error> {
        std::mem::replace(&mut self.result, Ok(())).map(|()| self)
    }
}

impl ReadArgs {
    /// The options of a reader; points in inputs that leave it open are in `coords`.
    pub fn options(&self, coords: Coords, keep_faults: u64) -> ReadOptions {
        let strictness = strictness(self.strict, self.lenient);
        ReadOptions { strictness, encoding: self.encoding, coords, size: self.size, rule: None, keep_faults }
    }

    /// What the user named, else what the bytes and the extension tell.
    pub fn kind(&self, input: &Input) -> Result<Kind, Error> {
        self.from.map_or_else(|| input.kind(), Ok)
    }

    /// The format of records; an error that says what to do where it is something else.
    pub fn format(&self, input: &Input) -> Result<&'static Format, Error> {
        self.kind(input)?.records().map_err(|message| Error::new(Blame::Caller, "", message))
    }

    /// Reads all records of an input; an error means that its format is not known.
    pub fn read(
        &self,
        input: &Input,
        options: &ReadOptions,
        each: &mut dyn FnMut(Record) -> Result<(), Error>,
    ) -> Result<Told, Error> {
        let format = self.format(input)?;
        let strict = options.strictness == Strictness::Strict;
        let mut binding = Binding::new(format, options.keep_faults, strict);
        let mut each = |record| each(binding.bind(record)?);
        let mut reading = Reading::new(format.name, options, &PROGRESS, &mut each);
        let result = (format.read)(input, &mut reading);
        let left_out = reading.left_out();
        let Reading { mut faults, encoding, version, .. } = reading;
        faults.append(binding.faults);
        Ok(Told { format, faults, left_out, encoding, version, result })
    }

    /// Reads all positions of an input that is in this format, with a bar of this input alone.
    pub fn watch_entries(
        &self,
        input: &Input,
        format: &'static EntryFormat,
        options: &ReadOptions,
        each: &mut dyn FnMut((Key, Entry)) -> Result<(), Error>,
    ) -> Told<EntryFormat> {
        let _bar = Bar::watch(input.len() as u64);
        let mut reading = EntryReading::new(format.name, options, &PROGRESS, each);
        let result = (format.read)(input, &mut reading);
        let left_out = reading.left_out();
        let EntryReading { faults, encoding, version, .. } = reading;
        Told { format, faults, left_out, encoding, version, result }
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
