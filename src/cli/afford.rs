use anyhow::{Result, anyhow};

/// An error if the machine does not give so many tables of so many bytes, which would end the program without a word.
pub fn afford(memory: usize, tables: usize) -> Result<()> {
    let whole = memory.checked_mul(tables.max(1));
    let is_given = whole.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok());
    is_given.then_some(()).ok_or_else(|| anyhow!("--memory: this machine has not so much memory for each search"))
}
