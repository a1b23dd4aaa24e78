use crate::referee::{Random, Referee};
use crate::talk::Talk;
use games::{Point, Rule, Side};

pub fn hex(point: Point) -> String {
    format!("{:02X}", point.agi().unwrap())
}

/// The move of a BESTMOVE.
pub fn best(reply: &str) -> Point {
    let words: Vec<&str> = reply.split(' ').collect();
    assert_eq!(words[0], "BESTMOVE", "{reply}");
    assert!(words.len() == 2 || words.len() == 4 && words[2] == "PONDER", "{reply}");
    Point::from_agi(u8::from_str_radix(words[1], 16).unwrap()).unwrap()
}

/// Plays a game against a player who plays anywhere.
fn play(talk: &mut Talk, referee: &mut Referee, ours: Side, random: &mut Random) {
    talk.say("POSITION");
    while !referee.is_over {
        let point = if referee.to_move == ours {
            let point = best(&talk.ask("GO TIME 0"));
            talk.say(&format!("DOMOVE {}", hex(point)));
            point
        } else {
            let legal = referee.legal();
            let point = *random.of(&legal);
            match random.below(3) {
                // The whole game again.
                0 => {
                    let moves: String = referee.moves.iter().map(|(point, _)| hex(*point)).collect();
                    talk.say(&format!("position moves {moves} {}", hex(point)));
                }
                // The stones, in any order of those of a side.
                1 => {
                    let of = |side| referee.moves.iter().filter(move |each| each.1 == side).map(|each| hex(each.0));
                    let mut first: Vec<String> = of(Side::First).collect();
                    let mut second: Vec<String> = of(Side::Second).collect();
                    random.shuffle(&mut first);
                    random.shuffle(&mut second);
                    let mut second = second.into_iter();
                    let stones: String =
                        first.into_iter().flat_map(|stone| [Some(stone), second.next()]).flatten().collect();
                    talk.say(&format!("POSITION STATU {stones} MOVES {}", hex(point)));
                }
                _ => talk.say(&format!("DOMOVE {}", hex(point))),
            }
            point
        };
        referee.play(point);
        assert_eq!(talk.ask("ISREADY"), "READYOK");
    }
}

#[test]
fn whole_games_are_played_with_forbidden_moves_and_without() {
    for (words, rule) in [("FORBIDDEN", Rule::Renju), ("UNFORBIDDEN", Rule::Freestyle)] {
        for pondering in ["ON", "OFF"] {
            let mut random = Random(11);
            let mut talk = Talk::new(&["--memory", "1M"]);
            assert_eq!(talk.ask("AGI"), "ID NAME kifu 0.1.0");
            while talk.reply() != "AGIOK" {}
            talk.say(&format!("SETRULE {words}"));
            talk.say(&format!("SETOPTION PONDER {pondering}"));
            for ours in [Side::First, Side::Second] {
                let mut referee = Referee::new(15, rule);
                play(&mut talk, &mut referee, ours, &mut random);
                assert_eq!(referee.winner, Some(ours), "against one who plays anywhere");
                // Nothing can be played where the game is over.
                assert_eq!(talk.ask("GO TIME 1000"), "BESTMOVE 00");
            }
            assert_eq!(talk.ask("QUIT"), "BYE");
            let (code, left, stderr) = talk.end();
            assert_eq!((code, left.len()), (0, 0));
            assert_eq!(stderr.matches("the game is over").count(), 2, "{stderr}");
        }
    }
}
