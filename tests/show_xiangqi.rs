//! What `kifu show` draws of xiangqi, `info` counts and `check` finds, against boards drawn by hand and against FEN.

mod support;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use support::{Desk, testdata};

/// Two captures, and variations that leave the main line before and after them.
const GAME: &str = "[Red \"Ann\"]\n[Black \"Bob\"]\n\n{begin <b>}\n1. h2e2 h9g7 (1. ... b7e7 2. e2e6 e7e3 3. h0g2) \
    2. e2e6 {takes} g7e6 (2. ... b9c7 3. b0c2) 3. b0c2 e6d4 4. c3c4 d4c2 1-0\n";

/// The columns of a line in a terminal.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// The FEN of a node, asked for by its path.
fn fen(desk: &Desk, file: &str, path: &str) -> String {
    let arguments = match path {
        "" => vec!["show", file, "--json", "--ply", "0"],
        _ => vec!["show", file, "--json", "--path", path],
    };
    desk.kifu(&arguments).json()[0]["fen"].as_str().unwrap().to_owned()
}

#[test]
fn a_board_in_letters() {
    let desk = Desk::new();
    let said = desk.kifu(&["show", "position startpos moves h2e2 h9g7 e2e6"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let wanted = " 9 r---n---b---a---k---a---b---+---r
   |   |   |   | \\ | / |   |   |   |
 8 +---+---+---+---+---+---+---+---+
   |   |   |   | / | \\ |   |   |   |
 7 +---c---+---+---+---+---n---c---+
   |   |   |   |   |   |   |   |   |
 6 p---+---p---+--(C)--+---p---+---p
   |   |   |   |   |   |   |   |   |
 5 +---+---+---+---+---+---+---+---+
   |                               |
 4 +---+---+---+---+---+---+---+---+
   |   |   |   |   |   |   |   |   |
 3 P---+---P---+---P---+---P---+---P
   |   |   |   |   |   |   |   |   |
 2 +---C---+---+--(+)--+---+---+---+
   |   |   |   | \\ | / |   |   |   |
 1 +---+---+---+---+---+---+---+---+
   |   |   |   | / | \\ |   |   |   |
 0 R---N---B---A---K---A---B---N---R
   a   b   c   d   e   f   g   h   i

ply 3, last e2e6 炮五进四, Black to move
fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 2
moves 1. h2e2 h9g7 2. e2e6
";
    assert_eq!(said.out, wanted);
}

#[test]
fn characters_stand_in_line_and_are_those_of_their_pieces() {
    let desk = Desk::new();
    let signs = |pieces: &str| -> BTreeMap<char, BTreeSet<char>> {
        let position = "position startpos moves a0a1 i9i8";
        let drawn = desk.kifu(&["show", position, "--pieces", pieces]).out;
        let fen = desk.kifu(&["show", position, "--json"]).json()[0]["fen"].as_str().unwrap().to_owned();
        let mut found: BTreeMap<char, BTreeSet<char>> = BTreeMap::new();
        let lines: Vec<&str> = drawn.lines().skip(1).take(19).collect();
        for (row, rank) in lines.iter().step_by(2).zip(fen.split(' ').next().unwrap().split('/')) {
            // A piece stands in the columns 3, 7, 11, ...; what is before it has narrow signs and pieces alone.
            let mut at = 0;
            let mut seen = Vec::new();
            for sign in row.chars() {
                if at >= 3 && (at - 3) % 4 == 0 {
                    seen.push(sign);
                }
                at += if sign.is_ascii() { 1 } else { 2 };
            }
            let wanted: Vec<char> = rank
                .chars()
                .flat_map(|sign| match sign.to_digit(10) {
                    Some(empty) => vec!['+'; empty as usize],
                    None => vec![sign],
                })
                .collect();
            assert_eq!(seen.len(), 9, "{row}");
            for (sign, wanted) in seen.into_iter().zip(wanted) {
                found.entry(wanted).or_default().insert(sign);
            }
        }
        let river = lines[9];
        assert!(lines.iter().skip(1).step_by(2).all(|line| columns(line) == columns(river)), "{drawn}");
        found
    };
    for (pieces, wanted) in
        [("chinese", "将士象馬車砲卒帅仕相马车炮兵"), ("traditional", "將士象馬車砲卒帥仕相傌俥炮兵")]
    {
        let found = signs(pieces);
        for (letter, sign) in "kabnrcpKABNRCP".chars().zip(wanted.chars()) {
            assert_eq!(found[&letter], BTreeSet::from([sign]), "{letter} {pieces}");
        }
        assert_eq!(found[&'+'], BTreeSet::from(['+']));
    }
}

#[test]
fn every_piece_of_the_picture_is_a_piece_of_the_fen() {
    let desk = Desk::new();
    desk.put("game.pgn", GAME);
    let mut strokes: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
    for ply in ["0", "3", "4", "8"] {
        let told = desk.kifu(&["show", "game.pgn", "--ply", ply, "--json"]).json().remove(0);
        let said = desk.kifu(&["show", "game.pgn", "--ply", ply, "--svg"]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        let mut drawn = BTreeMap::new();
        for piece in said.out.split("<circle ").filter(|tag| tag.contains(" r=\"22.5\"")) {
            let number = |name: &str| -> f32 {
                piece.split(&format!("{name}=\"")).nth(1).unwrap().split('"').next().unwrap().parse().unwrap()
            };
            let place = ((number("cx") - 62.0) / 50.0, (number("cy") - 34.0) / 50.0);
            drawn.insert((place.1 as usize, place.0 as usize), piece.contains("stroke=\"#c8102e\""));
        }
        let paths: Vec<&str> =
            said.out.split("scale(0.285)\" d=\"").skip(1).map(|d| d.split('"').next().unwrap()).collect();
        let mut pieces = BTreeMap::new();
        for (y, rank) in told["fen"].as_str().unwrap().split(' ').next().unwrap().split('/').enumerate() {
            let mut x = 0;
            for sign in rank.chars() {
                match sign.to_digit(10) {
                    Some(empty) => x += empty as usize,
                    None => {
                        pieces.insert((y, x), sign);
                        x += 1;
                    }
                }
            }
        }
        let sides: BTreeMap<_, _> = pieces.iter().map(|(at, sign)| (*at, sign.is_ascii_uppercase())).collect();
        assert_eq!(drawn, sides);
        assert_eq!(paths.len(), pieces.len());
        for (path, sign) in paths.iter().zip(pieces.values()) {
            strokes.entry(*sign).or_default().insert((*path).to_owned());
        }
        assert_eq!(said.out.matches("stroke=\"#0a6fc2\"").count(), usize::from(ply != "0"));
    }
    // Each piece has a character of its own.
    let characters: BTreeSet<&String> = strokes.values().flatten().collect();
    assert_eq!((strokes.len(), characters.len()), (14, 14));
    let letters = desk.kifu(&["show", "position startpos", "--svg", "--pieces", "letters"]).out;
    assert_eq!(letters.matches(" font-size=\"24\"").count(), 32);
    assert!(!letters.contains("scale("));
}

#[test]
#[cfg(feature = "png")]
fn a_png_needs_no_font_for_the_pieces() {
    let desk = Desk::new();
    for pieces in ["letters", "chinese", "traditional"] {
        let said = desk.kifu(&["show", "position startpos", "--png", "--pieces", pieces, "-o", pieces]);
        assert_eq!((said.code, said.err.as_str()), (0, ""));
        assert!(desk.read(pieces).starts_with(b"\x89PNG\r\n"));
    }
    assert!(desk.read("chinese") != desk.read("traditional"));
}

/// The FEN of each node of a record of the page with its path, by replaying what the page replays.
fn replay(record: &Value) -> Vec<(String, String)> {
    let plays: Vec<char> = record["plays"].as_str().unwrap().chars().collect();
    let jumps: BTreeMap<u64, u64> = record["jumps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|jump| (jump[0].as_u64().unwrap(), jump[1].as_u64().unwrap()))
        .collect();
    let mut path: Vec<usize> = vec![0];
    let mut depth = 0;
    let mut found = Vec::new();
    for node in 0..plays.len() / 3 {
        if node > 0 {
            depth = jumps.get(&(node as u64)).copied().unwrap_or(depth + 1);
            path.truncate(depth as usize);
            path.push(node);
        }
        let mut board: BTreeMap<u32, char> = record["pieces"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(at, sign)| (at.parse().unwrap(), sign.as_str().unwrap().chars().next().unwrap()))
            .collect();
        let mut moves = Vec::new();
        for step in path.iter().skip(1) {
            let [from, to] = [1, 2].map(|at| plays[step * 3 + at] as u32 - 35);
            let piece = board.remove(&from).unwrap();
            board.insert(to, piece);
            let name = |square: u32| format!("{}{}", char::from(b'a' + (square % 9) as u8), 9 - square / 9);
            moves.push(name(from) + &name(to));
        }
        let ranks: Vec<String> = (0..10)
            .map(|y| {
                let row = (0..9).map(|x| board.get(&(y * 9 + x)).copied().unwrap_or('1')).collect::<String>();
                (2..=9).rev().fold(row, |row, width| row.replace(&"1".repeat(width), &width.to_string()))
            })
            .collect();
        found.push((moves.join(","), ranks.join("/")));
    }
    found
}

#[test]
fn the_page_plays_captures_and_takes_them_back() {
    let desk = Desk::new();
    desk.put(
        "game.pgn",
        format!("{GAME}\n[Event \"end\"]\n[FEN \"3ak4/9/9/9/9/9/9/9/4r4/3KR4 b - - 0 1\"]\n\n1. ... e1e0 *\n"),
    );
    let said = desk.kifu(&["show", "game.pgn", "--html", "--notation", "chinese"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let records = said.out.split("id=\"records\">").nth(1).unwrap().split("</script>").next().unwrap();
    let records: Value = serde_json::from_str(records).unwrap();
    let nodes = replay(&records[0]);
    assert_eq!(nodes.len(), 15);
    for (path, board) in &nodes {
        assert_eq!(fen(&desk, "game.pgn", path).split(' ').next().unwrap(), board, "{path}");
    }
    let pieces = |board: &str| board.chars().filter(char::is_ascii_alphabetic).count();
    let counts: Vec<usize> = nodes.iter().map(|(_, board)| pieces(board)).collect();
    assert_eq!(counts, [32, 32, 32, 31, 30, 30, 30, 30, 29, 31, 31, 32, 31, 30, 30]);
    assert_eq!(records[0]["names"][1], "炮二平五");
    assert_eq!(records[0]["notes"]["3"]["comment"][0], "takes");
    assert_eq!((&records[0]["first"], &records[1]["first"]), (&"red".into(), &"black".into()));
    assert_eq!(replay(&records[1])[1].1, "3ak4/9/9/9/9/9/9/9/9/3Kr4");
    assert!(said.out.contains("function drawPieces()") && !said.out.contains("<b>\""));
    // A page of stones alone has nothing of it.
    let stones = desk.kifu(&["show", "h8i9", "--html"]).out;
    assert!(!stones.contains("drawPieces") && !stones.contains("{{"));
}

#[test]
fn a_record_without_a_position_is_told_and_its_page_keeps_the_moves() {
    let desk = Desk::new();
    desk.put("bad.pgn", "[Game \"Chinese Chess\"]\n[FEN \"4k4/9 w\"]\n\n1. h2e2 *\n");
    let said = desk.kifu(&["show", "bad.pgn"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("the tag FEN holds no position: 2 ranks"), "{}", said.err);
    let page = desk.kifu(&["show", "bad.pgn", "--html"]).out;
    assert!(page.contains("\"names\":[\"\",\"h2e2\"]") && page.contains("\"pieces\":{}"));
}

#[test]
fn positions_are_told_from_files_and_from_gomoku() {
    let desk = Desk::new();
    for (text, code, err) in [
        ("rnbakabnr/9/1c5c1 w", 2, "3 ranks"),
        ("position startpos moves h2h9 a0a0", 2, "move 2"),
        ("startpos", 2, "write `position` before"),
        ("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR", 0, "taken for red's"),
        ("4k4/9/9/9/9/9/9/9/9/4K4 w", 0, "the kings face each other"),
        ("a/b/c/d/e/f", 2, "is not a point of a 15x15 board"),
        ("/rank/rnb/h8/e/f", 2, "is not a point of a 15x15 board"),
    ] {
        let said = desk.kifu(&["show", text]);
        assert!(said.code == code && said.err.contains(err), "{text}: {} {}", said.code, said.err);
    }
    assert_eq!(desk.kifu(&["show", "4k4/9/9/9/9/9/9/9/9/4K4 w", "--strict"]).code, 2);
    let said = desk.kifu(&["show", "position startpos", "--numbers"]);
    assert!(said.code == 2 && said.err.contains("for gomoku"), "{}", said.err);
    let said = desk.kifu(&["analyze", "position startpos", "--rule", "renju", "--nodes", "9"]);
    assert!(said.code == 2 && said.err.contains("the engine plays gomoku"), "{}", said.err);
    let said = desk.pipe(&["show", "-", "--json"], b"h8\nposition startpos moves b2e2\n");
    let told = said.json();
    assert_eq!((told[0]["side"].as_str(), told[1]["side"].as_str()), (Some("white"), Some("black")));
    assert_eq!(told[1]["spelled"][0], "炮八平五");
    let each = desk.kifu(&["show", "position startpos moves h2h9 i9h9", "--each-ply", "--json"]).json();
    let taken: Vec<&Value> = each.iter().map(|told| &told["last"]["captured"]).collect();
    assert_eq!(taken, [&Value::Null, &"n".into(), &"C".into()]);
}

#[test]
fn info_and_check_speak_of_xiangqi() {
    let desk = Desk::new();
    desk.put("game.pgn", GAME);
    let block = desk.kifu(&["info", "game.pgn"]).out;
    assert!(block.contains("  game      xiangqi\n") && block.contains("  red       Ann\n"), "{block}");
    assert!(block.contains("  captures  5\n") && block.contains("  result    1-0\n"), "{block}");
    let told = desk.kifu(&["info", "--json", "game.pgn"]).json().remove(0);
    for word in ["occupied", "opening", "label_only", "set_up", "rule_stated"] {
        assert!(told.get(word).is_none(), "{word}");
    }
    assert_eq!((&told["rule"], &told["captures"]), (&Value::Null, &5.into()));
    let said = desk.kifu(&["check", "game.pgn"]);
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    desk.put("mate.pgn", "[FEN \"4k4/R8/9/9/9/9/9/9/9/1R1K5 w\"]\n[Result \"0-1\"]\n\n1. b0b9 0-1\n");
    let said = desk.kifu(&["check", "mate.pgn"]);
    assert!(said.code == 1 && said.out.contains("Black is mated, and by the result black won"), "{}", said.out);
    desk.put("illegal.pgn", "[Result \"*\"]\n\n1. h2e2 h9g7 2. a0a9 i9h9 *\n");
    let kinds: Vec<Value> = desk.kifu(&["check", "--json", "illegal.pgn"]).json();
    assert_eq!((kinds.len(), &kinds[0]["kind"]), (1, &"unplayable-move".into()));
    assert!(desk.kifu(&["check", testdata("xiangqi-pgn/three-notations.pgn").to_str().unwrap()]).out.is_empty());
}
