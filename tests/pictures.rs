//! The pictures of `kifu show` against the board it tells in JSON, point by point.

mod support;

use support::{Desk, testdata};

/// Centres of the stones of an SVG, in points of the board, with the sign of their side.
fn stones(svg: &str) -> Vec<(i32, i32, char)> {
    let attribute = |tag: &str, name: &str| -> Option<f32> {
        let value = tag.split(&format!(" {name}=\"")).nth(1)?;
        value.split('"').next()?.parse().ok()
    };
    svg.split('<')
        .filter(|tag| tag.starts_with("circle") && attribute(tag, "r") == Some(18.6))
        .map(|tag| {
            let place = |name, origin: f32| ((attribute(tag, name).unwrap() - origin) / 40.0).round() as i32;
            let side = if tag.contains("fill=\"#111\"") { 'X' } else { 'O' };
            (place("cx", 54.0), place("cy", 28.0), side)
        })
        .collect()
}

fn rows_of(stones: &[(i32, i32, char)], width: usize, height: usize) -> String {
    let mut rows = vec![vec!['.'; width]; height];
    for (x, y, side) in stones {
        rows[*y as usize][*x as usize] = *side;
    }
    rows.into_iter().map(String::from_iter).collect::<Vec<_>>().join("/")
}

#[test]
fn every_stone_of_the_picture_is_a_stone_of_the_board() {
    let desk = Desk::new();
    let showcase = testdata("renlib/showcase.lib");
    let games = testdata("moves/games.txt");
    let mut compared = 0;
    for (file, game) in [(&showcase, 1), (&games, 1), (&games, 6), (&games, 16), (&games, 20)] {
        for ply in [0, 1, 2, 7, 15] {
            let (ply, game) = (ply.to_string(), game.to_string());
            let place = ["show", file.to_str().unwrap(), "--ply", &ply, "--game", &game];
            let told = desk.kifu(&[&place[..], &["--json"]].concat()).json().remove(0);
            let drawn = desk.kifu(&[&place[..], &["--svg", "--numbers"]].concat());
            assert_eq!(drawn.code, 0, "{}", drawn.err);
            let size = told["size"].as_array().unwrap();
            let (width, height) = (size[0].as_u64().unwrap() as usize, size[1].as_u64().unwrap() as usize);
            assert_eq!(rows_of(&stones(&drawn.out), width, height), told["board"].as_str().unwrap());
            let numbers = told["moves"].as_array().unwrap().len();
            let last = format!(">{numbers}</text>");
            assert!(numbers == 0 || told["last"]["point"] == "--" || drawn.out.contains(&last));
            compared += 1;
        }
    }
    assert_eq!(compared, 25);
}

#[test]
fn set_up_stones_carry_no_numbers() {
    let desk = Desk::new();
    let drawn = desk.kifu(&["show", "agi:STATU 78695A MOVES 68", "--svg", "--numbers"]).out;
    assert_eq!(stones(&drawn).len(), 4);
    // The coordinates are set apart; what else is written stands on the stones.
    let board = drawn.split("</g>").nth(1).unwrap();
    assert_eq!(board.matches("<text").count(), 1);
    assert!(board.contains(">1</text>"));
    let plain = desk.kifu(&["show", "h8i9j10", "--svg"]).out;
    assert_eq!(plain.split("</g>").nth(1).unwrap().matches("<text").count(), 0);
    let late = desk.kifu(&["show", "h8i9j10", "--svg", "--numbers", "--first", "3"]).out;
    assert!(late.contains(">1</text>\n<circle") || late.split("</g>").nth(1).unwrap().contains(">1</text>"));
}

#[test]
fn forbidden_points_are_told_and_drawn() {
    let desk = Desk::new();
    let position = "h9a1h10a15i8o1j8o15";
    let told = desk.kifu(&["show", position, "--foul", "--json"]).json().remove(0);
    assert_eq!(told["foul"], serde_json::json!([{"point": "h8", "x": 7, "y": 7, "kinds": ["double-three"]}]));
    let text = desk.kifu(&["show", position, "--foul"]).out;
    assert!(text.contains("forbidden to X h8 double-three") && text.contains('!'), "{text}");
    let svg = desk.kifu(&["show", position, "--foul", "--svg"]).out;
    // h8 is the centre: 7 cells from each first line.
    assert!(svg.contains(&format!("M{} {}l16 16", 54 + 7 * 40 - 8, 28 + 7 * 40 - 8)), "{svg}");
    let reading = |three: &str| {
        let edge = "d10a1d6a2e7a3f8a4f9a5h10a6h9a7";
        desk.kifu(&["show", edge, "--foul", "--json", "--three", three]).json().remove(0)["foul"].clone()
    };
    let has_e9 = |foul: serde_json::Value| foul.as_array().unwrap().iter().any(|row| row["point"] == "e9");
    assert!(!has_e9(reading("rif")) && has_e9(reading("strict")));
}

#[test]
fn a_line_becomes_a_file_for_each_ply() {
    let desk = Desk::new();
    let said = desk.kifu(&["show", "h8i9j10", "--each-ply", "--svg", "-o", "line"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_eq!(desk.files("line"), ["0000.svg", "0001.svg", "0002.svg", "0003.svg"]);
    let counts: Vec<usize> =
        (0..4).map(|ply| stones(&String::from_utf8(desk.read(format!("line/000{ply}.svg"))).unwrap()).len()).collect();
    assert_eq!(counts, [0, 1, 2, 3]);
    assert_eq!(desk.kifu(&["show", "h8i9j10", "--each-ply", "--svg"]).code, 2);
    assert_eq!(desk.kifu(&["show", "h8i9j10", "--each-ply", "--json"]).json().len(), 4);
}

#[test]
fn the_page_holds_all_records_and_breaks_on_nothing_they_say() {
    let desk = Desk::new();
    let game = "(;FF[4]GM[4]SZ[15]PB[</script><b>]C[</script><script>alert(1)</script>];B[hh]LB[aa:<i>])";
    desk.put("evil <b>.sgf", format!("{game}{game}"));
    let said = desk.kifu(&["show", "evil <b>.sgf", "--html"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(said.out.matches("</script>").count(), 2);
    assert!(said.out.contains("<title>evil &lt;b&gt;</title>"));
    let records = said.out.split("id=\"records\">").nth(1).unwrap().split("</script>").next().unwrap();
    let records: serde_json::Value = serde_json::from_str(records).unwrap();
    assert_eq!(records.as_array().unwrap().len(), 2);
    assert_eq!(records[0]["plays"], " .. hh");
    assert_eq!(records[0]["tags"][0][1], "</script><b>");
    assert_eq!(records[0]["notes"]["1"]["labels"][0][1], "<i>");
}

#[test]
#[cfg(feature = "png")]
fn a_png_comes_out_of_stdout_as_it_goes_into_a_file() {
    let desk = Desk::new();
    let piped = desk.command(&["show", "h8i9j10", "--png", "--numbers"]).output().unwrap();
    assert_eq!(desk.kifu(&["show", "h8i9j10", "--png", "--numbers", "-o", "board.png"]).code, 0);
    assert!(piped.stdout.starts_with(b"\x89PNG\r\n"));
    assert!(piped.stdout == desk.read("board.png"));
}

#[test]
fn only_moves_are_plies_and_bear_numbers() {
    let desk = Desk::new();
    desk.put("game.sgf", "(;FF[4]GM[4]SZ[15];C[intro];B[hh];AB[aa]C[a stone more];W[hg];B[ig];C[the end])");
    let told = desk.kifu(&["show", "game.sgf", "--json"]).json().remove(0);
    assert_eq!((&told["ply"], &told["side"]), (&serde_json::json!(3), &serde_json::json!("white")));
    assert!(desk.kifu(&["show", "game.sgf", "--numbers"]).out.contains("O2 X3"));
    let at =
        |ply: &str| desk.kifu(&["show", "game.sgf", "--json", "--ply", ply]).json().remove(0)["last"]["point"].clone();
    assert_eq!((at("1"), at("2"), at("3")), ("h8".into(), "h9".into(), "i9".into()));
    let said = desk.kifu(&["show", "game.sgf", "--ply", "4"]);
    assert!(said.err.contains("the main line has 3 plies, not 4"), "{}", said.err);
    assert_eq!(desk.kifu(&["show", "game.sgf", "--each-ply", "--json"]).json().len(), 4);
    // A stone that is set up where one was played was not played.
    desk.put("again.sgf", "(;FF[4]GM[4]SZ[15];B[hh];AW[hh])");
    assert!(!desk.kifu(&["show", "again.sgf", "--numbers"]).out.contains("O1"));
    assert_eq!(
        desk.kifu(&["show", "h8i9", "--numbers", "--first", "0"]).out,
        desk.kifu(&["show", "h8i9", "--numbers"]).out
    );
}

#[test]
fn several_boards_go_where_they_are_sent() {
    let desk = Desk::new();
    assert_eq!(desk.kifu(&["show", "h8i9", "--each-ply", "-o", "line.txt"]).out, "");
    assert_eq!(String::from_utf8(desk.read("line.txt")).unwrap().matches("to move").count(), 3);
    let said = desk.pipe(&["show", "-", "--json", "-o", "two.json"], b"h8\n\ni9\n");
    assert_eq!((said.code, said.out.as_str()), (0, ""));
    assert_eq!(String::from_utf8(desk.read("two.json")).unwrap().lines().count(), 2);
    for wrong in ["--html", "--each-ply"] {
        let said = desk.pipe(&["show", "-", wrong], b"h8\n");
        assert!(said.code == 2 && said.err.contains("one by one"), "{}", said.err);
    }
}

#[test]
fn hostile_texts_are_cut_and_keep_the_picture_whole() {
    let desk = Desk::new();
    let long = "<&".repeat(50_000);
    desk.put("game.sgf", format!("(;FF[4]GM[4]SZ[15]CA[UTF-8]LB[aa:{long}][bb:\u{FFFF}\u{202E}x][aa:twice])"));
    let svg = desk.kifu(&["show", "game.sgf", "--svg"]).out;
    assert!(svg.len() < 10_000, "{}", svg.len());
    assert!(svg.contains("&lt;&amp;&lt;&amp;&lt;&amp;&lt;&amp;..</text>") && !svg.contains("twice"), "{svg}");
    assert!(!svg.contains(['\u{FFFF}', '\u{202E}']));
    #[cfg(feature = "png")]
    assert_eq!(desk.kifu(&["show", "game.sgf", "--png", "-o", "game.png"]).code, 0);
}

#[test]
#[cfg(feature = "png")]
fn letters_that_no_font_has_are_told() {
    let desk = Desk::new();
    // A letter of a private area: no font gives it a form of its own.
    desk.put("game.sgf", "(;FF[4]GM[4]SZ[15]CA[UTF-8]LB[aa:\u{10FF00}])");
    let said = desk.kifu(&["show", "game.sgf", "--png", "-o", "game.png"]);
    assert_eq!(said.code, 0);
    assert_eq!(said.err, "kifu: the picture leaves out what no font of this system has: \u{10FF00}\n");
}

#[test]
fn signs_stand_behind_what_is_written_on_their_stones() {
    let desk = Desk::new();
    desk.put("game.sgf", "(;FF[4]GM[4]SZ[15];B[hh];W[hg]TR[hh]SQ[aa]LB[bb:W41])");
    let svg = desk.kifu(&["show", "game.sgf", "--svg", "--numbers"]).out;
    let place = |piece: &str| svg.find(piece).unwrap_or_else(|| panic!("{piece}: {svg}"));
    assert!(place("stroke=\"#e07b00\"") < place("fill=\"#fff\">1</text>"));
    assert!(place("height=\"24\" fill=\"#fff\"") < place(">W41</text>"));
    // Without numbers the sign has the ink of its stone.
    assert!(!desk.kifu(&["show", "game.sgf", "--svg"]).out.contains("#e07b00"));
}
