//! What a line says of a position before its points are read; rows of book-csv become such lines, too.

use crate::position::Ground;
use crate::{EntryReading, Error, Place, ReadOptions, Severity, hex, label, position};
use games::{Game, Move, Point, Rules, Side, Size, Symmetry};
use record::{
    Backed, BoardText, Bound, Comment, Continuation, Entry, Judgement, Key, Ratings, Rest, Tally, is_plain, plain,
};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A line; what it does not say is `None` or empty.
#[derive(Default)]
pub(crate) struct Line<'a> {
    pub kifu: Option<u64>,
    pub format: Option<Text<'a>>,
    pub symmetric: Option<bool>,
    pub position: Option<Text<'a>>,
    pub rule: Option<Text<'a>>,
    pub size: Option<Size>,
    pub side: Option<Text<'a>>,
    pub tally: Counts,
    pub search: Search<'a>,
    pub rest: Option<Others<'a>>,
    pub backed: Option<Computed>,
    pub label: Option<Text<'a>>,
    pub rating_sum: Option<u64>,
    pub rating_count: Option<u64>,
    pub last_year: Option<u16>,
    pub game_refs: Vec<u64>,
    pub moves: Vec<Played<'a>>,
    pub comment: Option<Text<'a>>,
    pub comments: Vec<Written<'a>>,
    pub texts: Vec<Written<'a>>,
}

/// A value and the search that says it.
#[derive(Default)]
pub(crate) struct Search<'a> {
    pub value: Option<i32>,
    pub depth: Option<i16>,
    pub bound: Option<Text<'a>>,
    pub nodes: Option<u64>,
    pub scale: Option<u16>,
    pub source: Option<Text<'a>>,
}

/// The best move that the book does not follow.
#[derive(Default)]
pub(crate) struct Others<'a> {
    pub play: Option<Text<'a>>,
    pub search: Search<'a>,
    pub proven: Option<bool>,
}

/// A value that is backed up.
#[derive(Default)]
pub(crate) struct Computed {
    pub value: Option<i32>,
    pub scale: Option<u16>,
    pub proven: Option<bool>,
}

/// Numbers of games: all, those that a side won, and draws.
#[derive(Copy, Clone, Default)]
pub(crate) struct Counts {
    pub games: Option<u64>,
    pub red: Option<u64>,
    pub black: Option<u64>,
    pub draws: Option<u64>,
    pub white: Option<u64>,
}

impl Counts {
    /// As many games as have a result where nothing says how many there are.
    fn tally(self, game: Game) -> Result<Tally, String> {
        let (first, second, other, name) = match game {
            Game::Gomoku => (self.black, self.white, self.red, "red"),
            Game::Xiangqi => (self.red, self.black, self.white, "white"),
        };
        if other.is_some() {
            return Err(format!("`{name}` is no side of {game}"));
        }
        let [first, draws, second] = [first, self.draws, second].map(Option::unwrap_or_default);
        let games = self.games.unwrap_or_else(|| first.saturating_add(draws).saturating_add(second));
        Ok(Tally { games, first, draws, second })
    }
}

/// A move of a line.
#[derive(Default)]
pub(crate) struct Played<'a> {
    pub play: Option<Text<'a>>,
    pub tally: Counts,
}

/// A comment or a text on a point.
#[derive(Default)]
pub(crate) struct Written<'a> {
    pub point: Option<Text<'a>>,
    pub text: Option<Text<'a>>,
    pub written: Option<Text<'a>>,
    pub hex: Option<Text<'a>>,
}

/// What holds where a line does not say it.
#[derive(Copy, Clone)]
pub(crate) struct Defaults {
    pub rule: Option<Rules>,
    /// The rule is said by the file.
    pub is_said: bool,
    pub size: Option<Size>,
}

impl Defaults {
    /// What the options say.
    pub fn of(options: &ReadOptions) -> Defaults {
        Defaults { rule: options.rule.map(Rules::Gomoku), is_said: false, size: options.size }
    }

    /// Notes that a line has its rule from the options.
    pub fn note(&self, line: &Line<'_>, place: usize, reading: &mut EntryReading<'_>) -> Result<(), Error> {
        if let (None, Some(rule), false) = (&line.rule, self.rule, self.is_said) {
            let message = || (Place::line(place), format!("nothing says the rule: {rule} is taken"));
            reading.fault("no-rule", Severity::Remark, message)?;
        }
        Ok(())
    }
}

impl Line<'_> {
    /// The position and what is known of it; the message says what is wrong.
    pub fn entry(self, defaults: Defaults) -> Result<(Key, Entry), String> {
        let rules = match &self.rule {
            Some(rule) => Some(rule.parse()?),
            None => defaults.rule,
        };
        let rules = rules.ok_or("nothing says the rule: write `rule`, or use --rule")?;
        let text = self.position.as_deref().ok_or("the position is missing")?;
        let size = self.size.or(defaults.size).unwrap_or_else(|| rules.game().board());
        let mut key = position::position_key(text, rules, size)?;
        let ground = Ground::of(&key);
        if let Some(other) = self.size.filter(|other| *other != ground.size) {
            return Err(format!("the size is {other}, and the position is drawn on a board of {}", ground.size));
        }
        if let Some(side) = &self.side {
            match &mut key {
                Key::Gomoku(stones) => stones.to_move = side_of(side, ground.game)?,
                Key::Xiangqi(board) => board.set_to_move(side_of(side, ground.game)?),
            }
        }
        let ratings = self.ratings()?;
        let mut entry = Entry {
            judgement: self.search.judgement()?,
            rest: self.rest.map(|rest| rest.rest(ground)).transpose()?,
            backed: self.backed.map(Computed::backed).transpose()?,
            label: match &self.label {
                Some(text) => label::parse(text).ok_or_else(|| {
                    format!("`{}` is not a label: write win, loss, draw, forced, blocked or a letter", shown(text))
                })?,
                None => record::Label::None,
            },
            tally: self.tally.tally(ground.game)?,
            ratings,
            last_year: self.last_year,
            games: self.game_refs,
            ..Entry::default()
        };
        for played in self.moves {
            entry.moves.push(played.continuation(ground)?);
        }
        if let Some(text) = self.comment {
            entry.comments.push(Written { text: Some(text), ..Written::default() }.comment(ground)?);
        }
        for comment in self.comments {
            entry.comments.push(comment.comment(ground)?);
        }
        for text in self.texts {
            entry.texts.push(text.board_text(ground)?);
        }
        Ok((key, entry))
    }

    fn ratings(&self) -> Result<Ratings, String> {
        match (self.rating_sum, self.rating_count) {
            (Some(sum), Some(count)) => Ok(Ratings { sum, count }),
            (None, None) => Ok(Ratings::default()),
            _ => Err("one of `rating_sum` and `rating_count` is missing".into()),
        }
    }
}

impl Search<'_> {
    fn judgement(self) -> Result<Option<Judgement>, String> {
        let Some(value) = self.value else {
            let said = self.depth.is_some() || self.bound.is_some() || self.nodes.is_some() || self.source.is_some();
            return match said || self.scale.is_some() {
                true => Err("`depth`, `bound`, `nodes`, `scale` and `source` speak of a `value`: write one".into()),
                false => Ok(None),
            };
        };
        let bound = match &self.bound {
            None => Bound::None,
            Some(text) => Bound::ALL
                .into_iter()
                .find(|bound| text.eq_ignore_ascii_case(bound.name()))
                .ok_or_else(|| format!("`{}` is not a bound: write none, upper, lower or exact", shown(text)))?,
        };
        Ok(Some(Judgement {
            value,
            bound,
            depth: self.depth.unwrap_or_default(),
            nodes: self.nodes,
            scale: self.scale.unwrap_or(Judgement::SCALE),
            source: with_line_feeds(self.source.as_deref().unwrap_or_default().into()),
        }))
    }
}

impl Others<'_> {
    fn rest(self, ground: Ground) -> Result<Rest, String> {
        let play = self.play.map(|text| play_of(&text, ground)).transpose()?;
        let judgement = self.search.judgement()?;
        let proven = self.proven.unwrap_or_default();
        if proven && judgement.is_none() {
            return Err("`rest` is proven and has no `value`".into());
        }
        Ok(Rest { play, judgement, proven })
    }
}

impl Computed {
    fn backed(self) -> Result<Backed, String> {
        let value = self.value.ok_or("`backed` has no `value`")?;
        let scale = self.scale.unwrap_or(Judgement::SCALE);
        Ok(Backed { value, scale, proven: self.proven.unwrap_or_default() })
    }
}

impl Played<'_> {
    fn continuation(self, ground: Ground) -> Result<Continuation, String> {
        let text = self.play.ok_or("a move without `move`")?;
        Ok(Continuation { play: play_of(&text, ground)?, tally: self.tally.tally(ground.game)? })
    }
}

impl Written<'_> {
    fn comment(self, ground: Ground) -> Result<Comment, String> {
        if self.point.is_some() {
            return Err("a comment with a point: texts on points stand in `texts`".into());
        }
        let (text, bytes, written) = self.parts(ground)?;
        Ok(Comment { text, bytes, written })
    }

    fn board_text(mut self, ground: Ground) -> Result<BoardText, String> {
        let point = self.point.take().ok_or("a text without a point")?;
        let point = point_of(&point, ground)?;
        let (text, bytes, written) = self.parts(ground)?;
        Ok(BoardText { point, text, bytes, written })
    }

    /// The text in a book's characters; one that has others keeps its bytes.
    fn parts(self, ground: Ground) -> Result<(String, Vec<u8>, Symmetry), String> {
        let text = self.text.ok_or("a comment or a text without `text`")?;
        let written = match &self.written {
            Some(name) => name.parse()?,
            None => Symmetry::Identity,
        };
        if !ground.allows(written) {
            return Err(format!("{} makes another board of one of {}", written.name(), ground.size));
        }
        let mut bytes = Vec::new();
        if let Some(digits) = &self.hex {
            hex::parse(digits, &mut bytes).ok_or_else(|| format!("`{}` is not hexadecimal", shown(digits)))?;
        }
        let text = with_line_feeds(text.into_owned());
        if text.chars().all(is_plain) {
            return Ok((text, bytes, written));
        }
        let kept = plain(&text).into_owned();
        Ok((kept, if bytes.is_empty() { text.into_bytes() } else { bytes }, written))
    }
}

fn side_of(text: &str, game: Game) -> Result<Side, String> {
    Side::from_name(&text.to_ascii_lowercase(), game).ok_or_else(|| {
        let [first, second] = [Side::First, Side::Second].map(|side| side.name(game));
        format!("`{}` is not a side: write {first} or {second}", shown(text))
    })
}

fn play_of(text: &str, ground: Ground) -> Result<Move, String> {
    let what = if ground.game == Game::Gomoku { "point" } else { "move" };
    ground.play(text).ok_or_else(|| format!("`{}` is not a {what} of a {} board", shown(text), ground.size))
}

fn point_of(text: &str, ground: Ground) -> Result<Point, String> {
    ground.point(text).ok_or_else(|| format!("`{}` is not a point of a {} board", shown(text), ground.size))
}

/// The text with its lines ended as books end them: programs of Windows end them in their way.
fn with_line_feeds(text: String) -> String {
    if text.contains("\r\n") { text.replace("\r\n", "\n") } else { text }
}

/// The beginning of a text, for a message.
pub(crate) fn shown(text: &str) -> String {
    text.chars().take(24).collect()
}

/// A text of the input, copied only where it stands there in another form.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Text<'a>(pub Cow<'a, str>);

impl Text<'_> {
    fn into_owned(self) -> String {
        self.0.into_owned()
    }
}

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
        struct Kept;
        impl<'de> Visitor<'de> for Kept {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(text.into()))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(text.to_owned().into()))
            }
        }
        deserializer.deserialize_str(Kept)
    }
}

/// An object of the format.
pub(crate) trait Object<'de>: Default {
    /// The names of its members.
    const MEMBERS: &'static [&'static str];

    /// Takes the value of one of them.
    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, stranger: &mut Stranger) -> Result<(), A::Error>;

    /// The object that a text stands for.
    fn of_text(_: Text<'de>) -> Option<Self> {
        None
    }
}

/// The first member met that the format does not know.
#[derive(Default)]
pub(crate) struct Stranger(pub Option<String>);

/// Reads an object.
pub(crate) struct One<'s, T>(pub &'s mut Stranger, PhantomData<T>);

impl<'s, T> One<'s, T> {
    pub fn new(stranger: &'s mut Stranger) -> One<'s, T> {
        One(stranger, PhantomData)
    }
}

impl<'de, T: Object<'de>> DeserializeSeed<'de> for One<'_, T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for One<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with {}", T::MEMBERS[0])
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        let (mut object, mut seen) = (T::default(), 0_u32);
        while let Some(name) = map.next_key::<Text<'de>>()? {
            let Some(at) = T::MEMBERS.iter().position(|member| *member == &*name) else {
                map.next_value::<IgnoredAny>()?;
                self.0.0.get_or_insert_with(|| name.into_owned());
                continue;
            };
            if seen & (1 << at) != 0 {
                return Err(A::Error::custom(format_args!("`{}` stands there twice", &*name)));
            }
            seen |= 1 << at;
            object.take(T::MEMBERS[at], &mut map, self.0)?;
        }
        Ok(object)
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<T, E> {
        T::of_text(Text(text.into())).ok_or_else(|| E::invalid_type(de::Unexpected::Str(text), &self))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        T::of_text(Text(text.to_owned().into())).ok_or_else(|| E::invalid_type(de::Unexpected::Str(text), &self))
    }
}

/// Reads an object or `null`.
struct Maybe<'s, T>(&'s mut Stranger, PhantomData<T>);

impl<'de, T: Object<'de>> DeserializeSeed<'de> for Maybe<'_, T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for Maybe<'_, T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object with {}", T::MEMBERS[0])
    }

    fn visit_unit<E: de::Error>(self) -> Result<Option<T>, E> {
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
        One::new(self.0).visit_map(map).map(Some)
    }
}

/// Reads a list of objects; `null` is an empty one.
struct List<'s, T>(&'s mut Stranger, PhantomData<T>);

impl<'de, T: Object<'de>> DeserializeSeed<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<T>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Object<'de>> Visitor<'de> for List<'_, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Vec<T>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(each) = seq.next_element_seed(One::new(self.0))? {
            list.push(each);
        }
        Ok(list)
    }
}

/// A board: `15`, `"15x12"` or `[15,12]`.
struct Board(Size);

impl<'de> Deserialize<'de> for Board {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Board, D::Error> {
        struct Sides;
        impl<'de> Visitor<'de> for Sides {
            type Value = Board;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a board size, 15 or [15,12], at most {}", Size::LARGEST)
            }

            fn visit_u64<E: de::Error>(self, side: u64) -> Result<Board, E> {
                let size = u8::try_from(side).ok().and_then(Size::square);
                size.map(Board).ok_or_else(|| E::invalid_value(de::Unexpected::Unsigned(side), &self))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Board, E> {
                text.parse().map(Board).map_err(E::custom)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Board, A::Error> {
                let sides = (seq.next_element::<u8>()?, seq.next_element::<u8>()?, seq.next_element::<u8>()?);
                let size = match sides {
                    (Some(width), Some(height), None) => Size::new(width, height),
                    _ => None,
                };
                size.map(Board).ok_or_else(|| A::Error::custom(format_args!("this is not {}", Expected(&self))))
            }
        }
        struct Expected<'a>(&'a Sides);
        impl fmt::Display for Expected<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Visitor::expecting(self.0, f)
            }
        }
        deserializer.deserialize_any(Sides)
    }
}

impl<'de> Object<'de> for Line<'de> {
    const MEMBERS: &'static [&'static str] = &[
        "position",
        "rule",
        "size",
        "side",
        "games",
        "red",
        "black",
        "draws",
        "white",
        "moves",
        "value",
        "depth",
        "bound",
        "label",
        "comment",
        "comments",
        "texts",
        "nodes",
        "scale",
        "source",
        "rest",
        "backed",
        "rating_sum",
        "rating_count",
        "last_year",
        "game_refs",
        "kifu",
        "format",
        "symmetric",
    ];

    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, stranger: &mut Stranger) -> Result<(), A::Error> {
        match name {
            "position" => self.position = map.next_value()?,
            "rule" => self.rule = map.next_value()?,
            "size" => self.size = map.next_value::<Option<Board>>()?.map(|Board(size)| size),
            "side" => self.side = map.next_value()?,
            "value" | "depth" | "bound" | "nodes" | "scale" | "source" => self.search.take(name, map)?,
            "rest" => self.rest = map.next_value_seed(Maybe(stranger, PhantomData))?,
            "backed" => self.backed = map.next_value_seed(Maybe(stranger, PhantomData))?,
            "label" => self.label = map.next_value()?,
            "rating_sum" => self.rating_sum = map.next_value()?,
            "rating_count" => self.rating_count = map.next_value()?,
            "last_year" => self.last_year = map.next_value()?,
            "game_refs" => self.game_refs = map.next_value::<Option<_>>()?.unwrap_or_default(),
            "moves" => self.moves = map.next_value_seed(List(stranger, PhantomData))?,
            "comment" => self.comment = map.next_value()?,
            "comments" => self.comments = map.next_value_seed(List(stranger, PhantomData))?,
            "texts" => self.texts = map.next_value_seed(List(stranger, PhantomData))?,
            "kifu" => self.kifu = map.next_value()?,
            "format" => self.format = map.next_value()?,
            "symmetric" => self.symmetric = map.next_value()?,
            counts => self.tally.take(counts, map)?,
        }
        Ok(())
    }
}

impl<'de> Search<'de> {
    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "value" => self.value = map.next_value()?,
            "depth" => self.depth = map.next_value()?,
            "bound" => self.bound = map.next_value()?,
            "nodes" => self.nodes = map.next_value()?,
            "scale" => self.scale = map.next_value()?,
            _ => self.source = map.next_value()?,
        }
        Ok(())
    }
}

impl<'de> Object<'de> for Others<'de> {
    const MEMBERS: &'static [&'static str] = &["move", "value", "depth", "bound", "nodes", "scale", "source", "proven"];

    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, _: &mut Stranger) -> Result<(), A::Error> {
        match name {
            "move" => self.play = map.next_value()?,
            "proven" => self.proven = map.next_value()?,
            of_search => self.search.take(of_search, map)?,
        }
        Ok(())
    }
}

impl<'de> Object<'de> for Computed {
    const MEMBERS: &'static [&'static str] = &["value", "scale", "proven"];

    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, _: &mut Stranger) -> Result<(), A::Error> {
        match name {
            "value" => self.value = map.next_value()?,
            "scale" => self.scale = map.next_value()?,
            _ => self.proven = map.next_value()?,
        }
        Ok(())
    }
}

impl Counts {
    fn take<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let count = match name {
            "games" => &mut self.games,
            "red" => &mut self.red,
            "black" => &mut self.black,
            "draws" => &mut self.draws,
            _ => &mut self.white,
        };
        *count = map.next_value()?;
        Ok(())
    }
}

/// What a table has no other place for.
#[derive(Default)]
pub(crate) struct More<'a> {
    pub rest: Option<Others<'a>>,
    pub backed: Option<Computed>,
    pub comments: Vec<Written<'a>>,
    pub texts: Vec<Written<'a>>,
}

impl<'de> Object<'de> for More<'de> {
    const MEMBERS: &'static [&'static str] = &["comments", "texts", "rest", "backed"];

    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, stranger: &mut Stranger) -> Result<(), A::Error> {
        match name {
            "rest" => self.rest = map.next_value_seed(Maybe(stranger, PhantomData))?,
            "backed" => self.backed = map.next_value_seed(Maybe(stranger, PhantomData))?,
            "texts" => self.texts = map.next_value_seed(List(stranger, PhantomData))?,
            _ => self.comments = map.next_value_seed(List(stranger, PhantomData))?,
        }
        Ok(())
    }
}

impl<'de> Object<'de> for Played<'de> {
    const MEMBERS: &'static [&'static str] =
        &["move", "games", "red", "black", "draws", "white", "score", "value", "label"];

    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, _: &mut Stranger) -> Result<(), A::Error> {
        match name {
            "move" => self.play = map.next_value()?,
            // `kifu book query` says these of the position that the move leads to, which has a line of its own.
            "score" | "value" | "label" => drop(map.next_value::<IgnoredAny>()?),
            counts => self.tally.take(counts, map)?,
        }
        Ok(())
    }

    fn of_text(text: Text<'de>) -> Option<Self> {
        Some(Played { play: Some(text), ..Played::default() })
    }
}

impl<'de> Object<'de> for Written<'de> {
    const MEMBERS: &'static [&'static str] = &["text", "point", "written", "hex"];

    fn take<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A, _: &mut Stranger) -> Result<(), A::Error> {
        let member = match name {
            "text" => &mut self.text,
            "point" => &mut self.point,
            "written" => &mut self.written,
            _ => &mut self.hex,
        };
        *member = map.next_value()?;
        Ok(())
    }

    fn of_text(text: Text<'de>) -> Option<Self> {
        Some(Written { text: Some(text), ..Written::default() })
    }
}
