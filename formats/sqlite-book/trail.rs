//! Positions and their moves on their way through a file: each is looked at once a pass, in the order they came.

use super::key::Packed;
use crate::{Error, WriteOptions};
use games::{Side, Step};
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use tempfile::SpooledTempFile;

/// Bytes to hold where the options do not say.
const MEMORY: usize = 1 << 30;

/// A move and its counts, from the side that makes it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Played {
    pub step: Step,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// Where what is set aside goes.
pub(super) fn folder(options: &WriteOptions) -> PathBuf {
    options.folder.clone().unwrap_or_else(std::env::temp_dir)
}

/// A file without a name, in memory while it is small.
fn file(options: &WriteOptions) -> SpooledTempFile {
    tempfile::spooled_tempfile_in(options.memory.unwrap_or(MEMORY) / 4, folder(options))
}

/// Positions with their moves.
pub(super) struct Trail {
    file: BufWriter<SpooledTempFile>,
    count: usize,
}

impl Trail {
    pub fn new(options: &WriteOptions) -> Trail {
        Trail { file: BufWriter::new(file(options)), count: 0 }
    }

    /// Adds a position with at most as many moves as are legal in it.
    pub fn push(&mut self, position: &Packed, moves: &[Played]) -> Result<(), Error> {
        let out = &mut self.file;
        out.write_all(&position.cells)?;
        out.write_all(&[position.to_move as u8])?;
        out.write_all(&(moves.len() as u16).to_le_bytes())?;
        for Played { step, wins, draws, losses } in moves {
            out.write_all(&step.pack().to_le_bytes())?;
            for count in [wins, draws, losses] {
                out.write_all(&count.to_le_bytes())?;
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Looks at each position.
    pub fn each(&mut self, mut visit: impl FnMut(usize, &Packed, &[Played]) -> Result<(), Error>) -> Result<(), Error> {
        self.file.flush()?;
        let file = self.file.get_mut();
        file.rewind()?;
        let mut file = BufReader::new(file);
        let mut moves = Vec::new();
        for at in 0..self.count {
            let mut position = Packed { cells: [0; 45], to_move: Side::First };
            file.read_exact(&mut position.cells)?;
            let mut head = [0; 3];
            file.read_exact(&mut head)?;
            if head[0] == Side::Second as u8 {
                position.to_move = Side::Second;
            }
            moves.clear();
            for _ in 0..u16::from_le_bytes([head[1], head[2]]) {
                let mut bytes = [0; 14];
                file.read_exact(&mut bytes)?;
                let number =
                    |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes are there"));
                let step = Step::unpack(u16::from_le_bytes([bytes[0], bytes[1]])).expect("a step was packed");
                moves.push(Played { step, wins: number(2), draws: number(6), losses: number(10) });
            }
            visit(at, &position, &moves)?;
        }
        Ok(())
    }
}

/// Memos, each found again by where it stands.
pub(super) struct Memos {
    file: SpooledTempFile,
    end: u64,
}

impl Memos {
    pub fn new(options: &WriteOptions) -> Memos {
        Memos { file: file(options), end: 0 }
    }

    /// Adds a memo, and says where it stands.
    pub fn push(&mut self, memo: &[u8]) -> Result<u64, Error> {
        let at = self.end;
        self.file.write_all(&(memo.len() as u64).to_le_bytes())?;
        self.file.write_all(memo)?;
        self.end += 8 + memo.len() as u64;
        Ok(at)
    }

    /// The memo that stands there; nothing is added after this.
    pub fn read(&mut self, at: u64, memo: &mut Vec<u8>) -> Result<(), Error> {
        self.file.seek(SeekFrom::Start(at))?;
        let mut length = [0; 8];
        self.file.read_exact(&mut length)?;
        memo.resize(u64::from_le_bytes(length) as usize, 0);
        Ok(self.file.read_exact(memo)?)
    }
}
