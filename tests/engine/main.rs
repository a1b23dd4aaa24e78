//! `kifu engine`: whole games, transcripts, time, and what no interface should send.

mod agi;
mod books;
mod games_over_agi;
mod games_over_gomocup;
mod gomocup;
mod nonsense;
mod referee;
#[path = "../support/mod.rs"]
mod support;
mod talk;
mod time;
mod transcripts;
