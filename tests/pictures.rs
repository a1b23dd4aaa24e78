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
