use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

/// A program and its arguments, as a user writes them in one text.
///
/// Blanks divide words; `"…"` and `'…'` keep them. A backslash is a character like others, since paths of Windows are
/// full of them, which is why no crate for the quotes of Unix shells does this.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    program: String,
    arguments: Vec<String>,
    folder: Option<PathBuf>,
}

impl CommandLine {
    /// The same program, run in this folder.
    #[must_use]
    pub fn in_folder(self, folder: PathBuf) -> CommandLine {
        CommandLine { folder: Some(folder), ..self }
    }

    /// The name of the program's file without its extension and without `pbrain-`, which Gomocup wants before it.
    pub fn name(&self) -> &str {
        let stem = Path::new(&self.program).file_stem().and_then(|stem| stem.to_str()).unwrap_or(&self.program);
        stem.strip_prefix("pbrain-").filter(|rest| !rest.is_empty()).unwrap_or(stem)
    }

    /// The program.
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The command that starts it: in the folder that was named, else in the program's own, where engines look for
    /// their files. A program that the system has to find by its name alone is run in the folder of this process.
    pub(super) fn command(&self) -> Command {
        let is_path = self.program.contains(std::path::is_separator);
        let path = if is_path { std::path::absolute(&self.program).ok() } else { None };
        let mut command = match &path {
            Some(path) => Command::new(path),
            None => Command::new(&self.program),
        };
        command.args(&self.arguments);
        if let Some(folder) = self.folder.as_deref().or_else(|| path.as_deref().and_then(Path::parent)) {
            command.current_dir(folder);
        }
        command
    }
}

impl FromStr for CommandLine {
    type Err = String;

    fn from_str(text: &str) -> Result<CommandLine, String> {
        let mut words: Vec<String> = Vec::new();
        let mut word: Option<String> = None;
        let mut quote = None;
        for c in text.chars() {
            match quote {
                Some(end) if c == end => quote = None,
                Some(_) => word.get_or_insert_default().push(c),
                None if c == '"' || c == '\'' => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                None if c.is_whitespace() => words.extend(word.take()),
                None => word.get_or_insert_default().push(c),
            }
        }
        if let Some(quote) = quote {
            return Err(format!("the quote {quote} of `{text}` has no end"));
        }
        words.extend(word);
        if words.first().is_none_or(String::is_empty) {
            return Err("an engine is a program and its arguments: this text names none".into());
        }
        let program = words.remove(0);
        Ok(CommandLine { program, arguments: words, folder: None })
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let CommandLine { program, arguments, .. } = text.parse().unwrap();
        [vec![program], arguments].concat()
    }

    #[test]
    fn blanks_divide_words_and_quotes_keep_them() {
        assert_eq!(words("kifu engine --protocol gomocup"), ["kifu", "engine", "--protocol", "gomocup"]);
        assert_eq!(words(r#"  "C:\Program Files\x.exe"  -a 'b c'"#), [r"C:\Program Files\x.exe", "-a", "b c"]);
        assert_eq!(words(r#"a "" b"c d"e"#), ["a", "", "bc de"]);
        assert!("".parse::<CommandLine>().is_err());
        assert!("''".parse::<CommandLine>().is_err());
        assert!("a 'b".parse::<CommandLine>().unwrap_err().contains("no end"));
    }

    #[test]
    fn a_program_is_named_by_its_file() {
        for (text, name) in [("/x/pbrain-rapfi.exe --a", "rapfi"), ("pbrain-", "pbrain-"), ("./kifu engine", "kifu")] {
            assert_eq!(text.parse::<CommandLine>().unwrap().name(), name);
        }
    }

    #[test]
    fn a_program_runs_in_its_own_folder_unless_one_is_named() {
        let folder = |line: CommandLine| line.command().get_current_dir().map(PathBuf::from);
        let line: CommandLine = "engines/a/pbrain-a --x".parse().unwrap();
        assert_eq!(folder(line.clone()), std::path::absolute("engines/a").ok());
        assert_eq!(folder(line.in_folder("b".into())), Some("b".into()));
        assert_eq!(folder("python3 a.py".parse().unwrap()), None);
    }
}
