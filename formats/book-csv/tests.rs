use super::{COLUMNS, FORMAT};
use crate::samples::{entries, lenient, read_entries, strict, torture_entries, write_entries};
use crate::{Likeness, ReadOptions, Severity, WriteOptions, label_to_encoding};
use games::{Rule, Rules, Side, Size, Symmetry};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use record::{Entry, Key, Label, Tally};

fn renju() -> ReadOptions {
    ReadOptions { rule: Some(Rule::Renju), ..ReadOptions::default() }
}

fn read(text: &str) -> Vec<(Key, Entry)> {
    read_entries(&FORMAT, text.as_bytes(), &renju()).unwrap_or_else(|error| panic!("{error}: {text}")).0
}

proptest! {
    #[test]
    fn everything_that_is_known_reads_back(entries in entries(), bom in any::<bool>()) {
        let bytes = write_entries(&FORMAT, &entries, &WriteOptions { bom, ..WriteOptions::default() });
        prop_assert_eq!(bytes.starts_with(super::BOM), bom);
        let (again, faults) = read_entries(&FORMAT, &bytes, &strict()).unwrap();
        prop_assert_eq!(again, entries);
        prop_assert!(faults.is_empty());
    }

    #[test]
    fn no_cell_is_a_formula(entries in entries()) {
        let bytes = write_entries(&FORMAT, &entries, &WriteOptions::default());
        for row in slow_rows(std::str::from_utf8(&bytes).unwrap(), ',') {
            prop_assert_eq!(row.len(), COLUMNS.len());
            for cell in row {
                let number = cell.parse::<i64>().is_ok();
                prop_assert!(number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{}", cell);
            }
        }
    }

    #[test]
    fn other_separators_and_line_ends_and_orders_of_columns_do_not_matter(entries in entries(), tab in any::<bool>()) {
        let bytes = write_entries(&FORMAT, &entries, &WriteOptions::default());
        let separator = if tab { "\t" } else { ";" };
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\"").replace('\n', "\r\n"));
        let line = |mut row: Vec<String>| {
            row.reverse();
            row.iter().map(quoted).collect::<Vec<_>>().join(separator) + "\r\n"
        };
        let table: String = slow_rows(std::str::from_utf8(&bytes).unwrap(), ',').into_iter().map(line).collect();
        let (again, faults) = read_entries(&FORMAT, table.as_bytes(), &strict()).unwrap();
        prop_assert_eq!(again, entries);
        prop_assert!(faults.is_empty());
    }
}

/// The cells of a table by RFC 4180, a character at a time.
fn slow_rows(text: &str, separator: char) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut row = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = row.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            '\n' if !quoted => rows.push(std::mem::replace(&mut row, vec![String::new()])),
            c if c == separator && !quoted => row.push(String::new()),
            c => cell.push(c),
        }
    }
    rows
}

#[test]
fn a_table_of_people_needs_only_positions() {
    let entries = read(
        "Comment,POSITION,black,white,label,moves,texts\n\"so, \"\"so\"\"\",h8 i9,2,1,w,j10 1 1 0 0 / k11,\"a1 A b\r\nb2 W12\"\n,,,,,,\nx,\n",
    );
    assert_eq!(entries.len(), 2);
    let (key, entry) = &entries[0];
    assert_eq!(
        (key.rules(), key.size(), key.stones().unwrap().stones.len()),
        (Rules::Gomoku(Rule::Renju), Size::default(), 2)
    );
    assert_eq!((entry.label, entry.comments[0].text.as_str()), (Label::Win, "so, \"so\""));
    assert_eq!(entry.tally, Tally { games: 3, first: 2, draws: 0, second: 1 });
    assert_eq!((entry.moves.len(), entry.moves[0].tally.first), (2, 1));
    let texts: Vec<&str> = entry.texts.iter().map(|text| text.text.as_str()).collect();
    assert_eq!(texts, ["A b", "W12"]);
    assert_eq!((entries[1].0.stones().unwrap().stones.len(), entries[1].0.to_move()), (0, Side::First));
}

#[test]
fn formulas_are_guarded_and_the_guards_are_taken_away() {
    for (text, cell) in [("=1+1", "'=1+1"), ("''-x", "'''-x"), ("'quoted'", "'quoted'"), ("@a", "'@a"), ("a=b", "a=b")]
    {
        let mut entries = read("position\nh8");
        let comment = record::Comment { text: text.into(), bytes: Vec::new(), written: Symmetry::R180 };
        entries[0].1.comments.push(comment);
        let bytes = write_entries(&FORMAT, &entries, &WriteOptions::default());
        let rows = slow_rows(std::str::from_utf8(&bytes).unwrap(), ',');
        assert_eq!((rows[1][13].as_str(), rows[1][22].as_str()), (cell, "r180"));
        assert_eq!(read(std::str::from_utf8(&bytes).unwrap()), entries);
    }
    assert_eq!(read("position,comment\nh8,=1")[0].1.comments[0].text, "=1");
    // An apostrophe before a line end that became one of Windows is no guard.
    assert_eq!(read("position,comment\nh8,\"'\r\n\"")[0].1.comments[0].text, "'\n");
}

#[test]
fn tables_of_old_spreadsheets_are_read_by_the_name_of_their_encoding() {
    let gbk = label_to_encoding("gbk").unwrap();
    let bytes = gbk.encode("position;comment\r\nh8;黑棋必胜\r\n").0;
    let said = read_entries(&FORMAT, &bytes, &renju()).unwrap_err().to_string();
    assert!(said.contains("line 2") && said.contains("--encoding"), "{said}");
    let options = ReadOptions { encoding: Some(gbk), ..renju() };
    assert_eq!(read_entries(&FORMAT, &bytes, &options).unwrap().0[0].1.comments[0].text, "黑棋必胜");
}

#[test]
fn wrong_rows_are_refused_with_their_place_and_passed_over_leniently() {
    for (row, message) in [
        ("h8z9,,", "not a point of a 15x15 board"),
        ("h8,many,", "`many` in the column value is not a number"),
        ("h8,99999999999,", "`99999999999` in the column value"),
        ("h8,1,\"a\"b", "something stands behind the quotation mark"),
        ("h8,1,a,b", "a row of 4 cells under 3 columns"),
    ] {
        let file = format!("position,value,comment\na1,1,\"two\nlines\"\n{row}\nb2,,\n");
        let said = read_entries(&FORMAT, file.as_bytes(), &renju()).unwrap_err().to_string();
        assert!(said.contains(message) && said.contains("at line 4"), "{said}");
        let options = ReadOptions { rule: Some(Rule::Renju), ..lenient() };
        let (entries, faults) = read_entries(&FORMAT, file.as_bytes(), &options).unwrap();
        assert_eq!((entries.len(), faults.count("bad-row")), (2, 1), "{row}");
    }
    for (file, message) in [
        ("", "the table is empty"),
        ("rule,value\n", "no column is named position"),
        ("position,value,Position\n", "two columns are named position"),
        ("position\n\"h8", "has no other at its end"),
        ("position,more\nh8,{", "(in the column more)"),
    ] {
        let said = read_entries(&FORMAT, file.as_bytes(), &renju()).unwrap_err().to_string();
        assert!(said.contains(message), "{said}");
    }
}

#[test]
fn unknown_columns_and_members_are_told() {
    let file = "position,opinion,more\nh8,good,\"{\"\"comments\"\":[\"\"a\"\"],\"\"value\"\":3}\"\n";
    let (entries, faults) = read_entries(&FORMAT, file.as_bytes(), &renju()).unwrap();
    assert_eq!(entries[0].1.comments[0].text, "a");
    let remark = Severity::Remark;
    assert_eq!(faults.counts(), [("unknown-column", remark, 1), ("unknown-member", remark, 1), ("no-rule", remark, 1)]);
}

#[test]
fn its_header_tells_it_from_the_table_of_rapfi() {
    let rapfi = b"index,key,label,value,depth,bound,text\n";
    for (text, is_ours) in [
        (&b"position,rule"[..], true),
        (b"\xEF\xBB\xBFvalue;\"Position\"\r\n", true),
        (rapfi, false),
        (b"the position, as it was\n", false),
        (b"", false),
    ] {
        assert_eq!((FORMAT.likeness)(text) == Likeness::Magic, is_ours, "{}", text.escape_ascii());
        assert!(!is_ours || (crate::yixin_db::CSV.likeness)(text) == Likeness::No);
    }
    assert_eq!((crate::yixin_db::CSV.likeness)(rapfi), Likeness::Magic);
}

#[test]
fn damage_ends_in_an_error_or_a_result() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..3 {
        let entries = entries().new_tree(&mut runner).unwrap().current();
        torture_entries(&FORMAT, &write_entries(&FORMAT, &entries, &WriteOptions::default()), 1500);
    }
}

#[test]
fn the_example_of_the_specification_is_a_file() {
    let text = include_str!("SPEC.md");
    let example = text.split("```csv\n").nth(1).unwrap().split("```").next().unwrap();
    let (entries, faults) = read_entries(&FORMAT, example.as_bytes(), &strict()).unwrap();
    assert!(faults.is_empty());
    assert_eq!(write_entries(&FORMAT, &entries, &WriteOptions::default()), example.as_bytes());
}
