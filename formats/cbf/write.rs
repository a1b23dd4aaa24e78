use super::{NAME, RESULT, RESULTS, ROOT, result, tag_of};
use crate::{Error, Losses, Out, WriteOptions, Writer, steps, xml};
use games::xiangqi::Fen;
use games::{Move, Step};
use record::{Head, NodeId, Play, Record};
use std::io::Write;

pub(super) fn writer<'a>(out: &'a mut dyn Write, _: &WriteOptions) -> Box<dyn Writer + 'a> {
    Box::new(GameWriter { out: Out::new(out) })
}

struct GameWriter<'a> {
    out: Out<'a>,
}

/// The elements of a head in the order of the program, which writes all of them.
const ELEMENTS: [&str; 32] = [
    "Name",
    "URL",
    "From",
    "ContestType",
    "Contest",
    "Round",
    "Group",
    "Table",
    "Date",
    "Site",
    "TimeRule",
    "Red",
    "RedTeam",
    "RedTime",
    "RedRating",
    "Black",
    "BlackTeam",
    "BlackTime",
    "BlackRating",
    "Referee",
    "Recorder",
    "Commentator",
    "CommentatorURL",
    "Creator",
    "CreatorURL",
    "DateCreated",
    "DateModified",
    "ECCO",
    "RecordType",
    "RecordKind",
    RESULT,
    "ResultType",
];

impl Writer for GameWriter<'_> {
    fn record(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        steps::start(record, NAME, &mut Losses::default())?;
        let tree = steps::of(record, losses)?.into_owned();
        let record = Record { head: record.head.clone(), tree };
        self.out.push(b"\xEF\xBB\xBF<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        self.out.push(format!("<{ROOT} Version=\"1.0\">\n <Head>\n").as_bytes());
        head(&record.head, self.out.buffer(), losses);
        self.out.push(b" </Head>\n <MoveList>\n");
        self.moves(&record, losses)?;
        self.out.push(format!(" </MoveList>\n</{ROOT}>\n").as_bytes());
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Ok(self.out.flush()?)
    }
}

impl GameWriter<'_> {
    fn moves(&mut self, record: &Record, losses: &mut Losses) -> Result<(), Error> {
        let tree = &record.tree;
        let mut main = tree.main_line().peekable();
        // Nodes are in pre-order, and the main line stands first.
        for node in tree.nodes() {
            if node != NodeId::ROOT && main.next_if_eq(&node).is_none() {
                losses.node("moves beside the main line (left out)", record, node);
                continue;
            }
            if tree.is_found(node) || tree.is_start(node) {
                losses.node(steps::FLAGS, record, node);
            }
            let value = match tree.play(node) {
                Play::Move(Move::Step(step)) => value(step),
                _ => "00-00".into(),
            };
            let end = if tree.is_leaf(node) { " end=\"1\"" } else { "" };
            self.out.push(format!("  <Move value=\"{value}\"{end}").as_bytes());
            match steps::comment(record, node, losses) {
                Some(text) if !text.trim().is_empty() => {
                    // The end of a section in the text is divided between two of them.
                    let text = text.replace("]]>", "]]]]><![CDATA[>");
                    self.out.push(format!("><![CDATA[{text}]]></Move>\n").as_bytes());
                }
                text => {
                    if text.is_some() {
                        losses.node("comments of blanks alone (left out)", record, node);
                    }
                    self.out.push(b" />\n");
                }
            }
            self.out.spill()?;
        }
        Ok(())
    }
}

fn head(head: &Head, out: &mut Vec<u8>, losses: &mut Losses) {
    let mut values = ELEMENTS.map(|name| (name, String::new()));
    let mut fen = Fen::start().to_string();
    for (at, (name, value)) in head.tags.iter().enumerate() {
        let is_again = head.tags[..at].iter().any(|(other, _)| other == name);
        let bare = value.trim();
        let is_free = name != RESULT || head.result.is_none() && result(bare).is_none();
        let place = values.iter().position(|(element, _)| tag_of(element) == name).filter(|_| is_free);
        match place {
            _ if is_again || bare.is_empty() => losses.named("tags (left out)", name),
            Some(place) => values[place].1 = bare.into(),
            None if name == "FEN" => fen = bare.into(),
            None => losses.named("tags (left out)", name),
        }
        if bare != value && !bare.is_empty() {
            losses.named("blanks around tags (left out)", name);
        }
    }
    if let Some(said) = head.result {
        let place = values.iter().position(|(element, _)| *element == RESULT).expect("it is one of them");
        match RESULTS.iter().position(|result| *result == said) {
            Some(number) => values[place].1 = number.to_string(),
            None => losses.named("results (left out)", said.text()),
        }
    }
    steps::lost_head(head, losses);
    for (name, value) in values.iter().map(|(name, value)| (*name, value)).chain([("FEN", &fen)]) {
        if value.is_empty() {
            out.extend_from_slice(format!("  <{name} />\n").as_bytes());
            continue;
        }
        out.extend_from_slice(format!("  <{name}>").as_bytes());
        xml::escape(value, false, out);
        out.extend_from_slice(format!("</{name}>\n").as_bytes());
    }
}

/// Two points, each the column from the left and the row from the top.
fn value(step: Step) -> String {
    format!("{}{}-{}{}", step.from.x(), step.from.y(), step.to.x(), step.to.y())
}
