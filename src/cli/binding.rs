use ::formats::{Error, Faults, Format, Place, Severity};
use games::Game;
use games::xiangqi::notation::Style;
use record::{Played, Record, Unbound, bind};

/// Plays the moves of xiangqi records as they are read, and counts what cannot be played.
pub struct Binding {
    /// What was left out.
    pub faults: Faults,
    format: &'static Format,
    records: u64,
    strict: bool,
}

impl Binding {
    /// For the records of a file.
    pub fn new(format: &'static Format, keep_faults: u64, strict: bool) -> Binding {
        Binding { faults: Faults::new(keep_faults), format, records: 0, strict }
    }

    /// The record with its moves bound; others stay as they are.
    ///
    /// # Errors
    /// Something was left out, under `--strict`.
    pub fn bind(&mut self, mut record: Record) -> Result<Record, Error> {
        self.records += 1;
        if record.head.game != Game::Xiangqi {
            return Ok(record);
        }
        let place = Place { record: self.format.many.then_some(self.records), ..Place::default() };
        let style = record.head.tag("Format").and_then(style);
        let Played { tree, unplayable, mixed } = match bind(&record, style) {
            Ok(played) => played,
            Err(Unbound::Fen(remark)) => {
                let message =
                    format!("the tag FEN holds no position ({remark}): the moves are left as they are written");
                self.fault("bad-fen", Severity::Damage, place, message)?;
                return Ok(record);
            }
            Err(Unbound::Full(full)) => return Err(full.into()),
        };
        record.tree = tree;
        if let Some(mixed) = mixed {
            self.fault("mixed-notation", Severity::Quirk, place.clone(), format!("{mixed}: each is read by sight"))?;
        }
        for gone in unplayable {
            let place = place.clone().after(&record.tree, gone.above, record.head.size);
            let moves = if gone.nodes == 1 { "it is".into() } else { format!("{} moves are", gone.nodes) };
            self.fault("unplayable-move", Severity::Damage, place, format!("{}: {moves} left out", gone.message))?;
        }
        Ok(record)
    }

    fn fault(&mut self, kind: &'static str, severity: Severity, place: Place, message: String) -> Result<(), Error> {
        if self.strict {
            return Err(Error::file(self.format.name, place, message));
        }
        self.faults.push(kind, severity, || (place, message));
        Ok(())
    }
}

/// What a game's tag says of how its moves are written; ICCS is what many files say of ranks that reach 10.
fn style(name: &str) -> Option<Style> {
    match name.to_ascii_lowercase().as_str() {
        "chinese" => Some(Style::Chinese),
        "wxf" | "axf" => Some(Style::Wxf),
        "san" | "salg" | "lalg" => Some(Style::San),
        _ => None,
    }
}
