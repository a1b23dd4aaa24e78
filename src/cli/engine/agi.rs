use super::mind::Mind;
use super::own_book::OwnBook;
use super::voice::Voice;
use super::{Flow, Hearing, Speaker};
use engine::Report;
use std::io;

pub struct Agi {}

impl Agi {
    pub fn new(_books: Vec<OwnBook>) -> Agi {
        Agi {}
    }
}

impl Speaker for Agi {
    fn hear(&self, _line: &str) -> Hearing {
        Hearing::Now
    }
    fn obey(&mut self, _line: &str, _mind: &mut Mind, _voice: &mut Voice) -> io::Result<Flow> {
        Ok(Flow::GoOn)
    }
    fn refuse_long(&mut self, _voice: &mut Voice) -> io::Result<()> {
        Ok(())
    }
    fn found(&mut self, _report: &Report, _is_owed: bool, _voice: &mut Voice) -> io::Result<()> {
        Ok(())
    }
    fn answer(&mut self, _report: Option<&Report>, _mind: &mut Mind, _voice: &mut Voice) -> io::Result<()> {
        Ok(())
    }
}
