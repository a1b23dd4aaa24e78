use crate::referee::{Random, Referee};
use crate::talk::Talk;
use games::{Point, Rule, Side};

pub fn text(point: Point) -> String {
    format!("{},{}", point.x(), point.y())
}

pub fn point(text: &str) -> Point {
    let (x, y) = text.split_once(',').unwrap_or_else(|| panic!("`{text}` is no point"));
    Point::new(x.parse().unwrap(), y.parse().unwrap()).unwrap()
}

/// The stones as BOARD tells them to a side.
fn board(referee: &Referee, ours: Side, random: &mut Random) -> Vec<String> {
    let who = |side| if side == ours { 1 } else { 2 };
    let mut lines: Vec<String> =
        referee.moves.iter().map(|(point, side)| format!("{},{}", text(*point), who(*side))).collect();
    // In renju the order is that of the moves.
    if referee.rule != Rule::Renju {
        random.shuffle(&mut lines);
    }
    lines
}

/// Plays a game against a player who plays anywhere, telling the engine of its moves in one way or another.
fn play(talk: &mut Talk, referee: &mut Referee, ours: Side, random: &mut Random) {
    while !referee.is_over {
        if referee.to_move != ours {
            let legal = referee.legal();
            referee.play(*random.of(&legal));
            if referee.is_over {
                return;
            }
            match random.below(4) {
                0 => {
                    talk.say("BOARD");
                    let lines = board(referee, ours, random);
                    lines.iter().for_each(|line| talk.say(line));
                    talk.say("DONE");
                }
                // The other side thinks better of it.
                1 => {
                    let point = referee.take_back();
                    talk.say("YXBOARD");
                    let lines = board(referee, ours.other(), random);
                    lines.iter().for_each(|line| talk.say(line));
                    talk.say("DONE");
                    let legal = referee.legal();
                    let other = *random.of(&legal);
                    assert_eq!(talk.ask(&format!("PLAY {}", text(point))), text(point));
                    assert_eq!(talk.ask(&format!("TAKEBACK {}", text(point))), "OK");
                    referee.play(other);
                    if referee.is_over {
                        return;
                    }
                    talk.say(&format!("TURN {}", text(other)));
                }
                _ => {
                    let (point, _) = referee.moves[referee.moves.len() - 1];
                    talk.say(&format!("INFO time_left {}", random.below(9) as i64 * 100_000 - 200_000));
                    talk.say(&format!("turn {}", text(point)));
                }
            }
        } else {
            talk.say("BEGIN");
        }
        let reply = talk.reply();
        referee.play(point(&reply));
    }
}

#[test]
fn whole_games_are_played_under_all_rules_on_all_boards() {
    let rules = [(0, Rule::Freestyle), (1, Rule::Standard), (4, Rule::Renju), (9, Rule::Caro)];
    let mut won = 0;
    std::thread::scope(|scope| {
        let games = rules.map(|(number, rule)| {
            scope.spawn(move || {
                let mut random = Random(7 + u64::from(number));
                let mut won = 0;
                let mut talk = Talk::gomocup(number, 15);
                for side in 5..=20 {
                    assert_eq!(talk.ask(&format!("START {side}")), "OK");
                    for ours in [Side::First, Side::Second] {
                        let mut referee = Referee::new(side, rule);
                        play(&mut talk, &mut referee, ours, &mut random);
                        won += usize::from(referee.winner == Some(ours));
                        assert_ne!(referee.winner, Some(ours.other()), "who plays anywhere has won\n{}", referee.board);
                        assert_eq!(talk.ask("RESTART"), "OK");
                    }
                }
                talk.say("END");
                assert_eq!(talk.end(), (0, Vec::new(), String::new()));
                won
            })
        });
        won = games.into_iter().map(|game| game.join().unwrap()).sum();
    });
    assert!(won > 100, "{won} of 128 games are won against one who plays anywhere");
}

#[test]
fn the_engine_plays_to_the_last_point() {
    // Nobody can win on so small a board against one who looks.
    let mut talk = Talk::gomocup(1, 5);
    let mut other = Talk::gomocup(1, 5);
    let mut referee = Referee::new(5, Rule::Standard);
    let mut line = "BEGIN".to_string();
    while !referee.is_over {
        let reply = if referee.to_move == Side::First { talk.ask(&line) } else { other.ask(&line) };
        referee.play(point(&reply));
        line = format!("TURN {reply}");
    }
    if referee.winner.is_none() {
        assert_eq!(other.ask(&line), "ERROR the board is full");
        assert_eq!(other.ask("BEGIN"), "ERROR the board is full");
    }
    assert_eq!(other.ask("RESTART"), "OK");
    assert_ne!(other.ask("BEGIN"), "");
}
