use crate::games_over_gomocup::point;
use crate::talk::Talk;
use std::time::{Duration, Instant};

/// Measures until something took no more than this, and gives the shortest of at most 20 times: a machine that has much
/// else to do stands still for a moment now and then, but not in all of them.
fn soonest(limit: Duration, mut measure: impl FnMut() -> Duration) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..20 {
        best = best.min(measure());
        if best <= limit {
            break;
        }
    }
    best
}

/// Stones that are far from each other.
fn turns() -> impl Iterator<Item = String> {
    (0..).map(|at| format!("TURN {},{}", at % 4 * 5, at / 4 % 4 * 5 + at / 16))
}

/// What an answer may be late by.
const LATE: Duration = Duration::from_millis(50);

fn game(turn: i64) -> Talk {
    let mut talk = Talk::new(&["--protocol", "gomocup", "--memory", "16M"]);
    talk.say(&format!("INFO timeout_turn {turn}"));
    assert_eq!(talk.ask("START 20"), "OK");
    talk
}

#[test]
fn the_time_of_a_turn_is_kept() {
    for turn in [100, 300, 700] {
        let mut talk = game(turn);
        let mut moves = turns();
        let mut longest = Duration::ZERO;
        let limit = Duration::from_millis(turn as u64);
        let took = soonest(limit, || {
            let (_, took) = talk.timed(&moves.next().unwrap());
            longest = longest.max(took);
            took
        });
        assert!(took <= limit, "{took:?} of {turn} ms");
        assert!(longest >= limit / 3, "{longest:?} of {turn} ms is little");
    }
}

#[test]
fn no_time_is_an_answer_at_once() {
    for (turn, left) in [(0, 2_147_483_647), (0, 5000), (5000, 0), (5000, -700), (5000, 1)] {
        let mut talk = game(turn);
        let mut moves = turns();
        let took = soonest(Duration::from_millis(150), || {
            talk.say(&format!("INFO time_left {left}"));
            let (reply, took) = talk.timed(&moves.next().unwrap());
            point(&reply);
            took
        });
        assert!(took < Duration::from_millis(200), "{took:?} with {turn} and {left}");
    }
}

#[test]
fn a_match_without_a_limit_is_no_match_without_time() {
    let mut talk = game(400);
    talk.say("INFO timeout_match 0");
    talk.say("INFO time_left 2147483647");
    let took = (0..3).map(|_| {
        assert_eq!(talk.ask("RESTART"), "OK");
        talk.timed("TURN 10,10").1
    });
    let took = took.min().unwrap();
    assert!(took > Duration::from_millis(100), "{took:?}");
}

/// The more that one of two players has used when both have played a match, each with one clock for all of it.
fn longer_clock(whole: Duration) -> Duration {
    let mut players = [game(30_000), game(30_000)];
    for player in &mut players {
        player.say(&format!("INFO timeout_match {}", whole.as_millis()));
    }
    let mut used = [Duration::ZERO; 2];
    let mut line = "BEGIN".to_string();
    for at in 0..60 {
        let (player, used) = (&mut players[at % 2], &mut used[at % 2]);
        player.say(&format!("INFO time_left {}", whole.as_millis() as i64 - used.as_millis() as i64));
        let (reply, took) = player.timed(&line);
        *used += took;
        if !reply.contains(',') {
            break;
        }
        line = format!("TURN {reply}");
    }
    used[0].max(used[1])
}

#[test]
fn a_match_ends_in_time() {
    let whole = Duration::from_millis(1500);
    let took = soonest(whole, || longer_clock(whole));
    assert!(took <= whole + LATE, "{took:?}");
}

/// Nobody tells the engine what is left: it counts itself.
#[test]
fn a_match_gives_each_move_a_part_of_its_time() {
    let mut talk = game(30_000);
    talk.say("INFO timeout_match 3000");
    let mut moves = turns();
    let mut turn = |talk: &mut Talk| {
        let (reply, took) = talk.timed(&moves.next().unwrap());
        point(&reply);
        took
    };
    assert!(soonest(Duration::from_millis(300), || turn(&mut talk)) < Duration::from_millis(400));
    talk.say("INFO time_left 40");
    assert!(soonest(LATE, || turn(&mut talk)) <= LATE);
}

#[test]
fn stop_is_answered_soon() {
    let mut talk = game(2_147_483_647);
    let took = soonest(LATE, || {
        talk.say("RESTART");
        assert_eq!(talk.reply(), "OK");
        talk.say("TURN 10,10");
        std::thread::sleep(Duration::from_millis(60));
        talk.timed("YXSTOP").1
    });
    assert!(took <= LATE, "{took:?}");
    let mut talk = Talk::new(&["--protocol", "agi", "--memory", "16M"]);
    let took = soonest(LATE, || {
        talk.say("POSITION MOVES 7868");
        talk.say("GO INFINITE");
        std::thread::sleep(Duration::from_millis(60));
        talk.timed("STOP").1
    });
    assert!(took <= LATE, "{took:?}");
}

#[test]
fn the_engine_leaves_within_a_second_whatever_it_does() {
    for (protocol, lines, end) in [
        ("gomocup", &["START 15", "INFO timeout_turn 2147483647", "BEGIN"][..], Some("END")),
        ("gomocup", &["START 15", "INFO timeout_turn 2147483647", "BEGIN", "TURN 0,0", "TURN 0,2"], Some("END")),
        ("gomocup", &["START 15", "INFO timeout_turn 2147483647", "BEGIN"], None),
        ("gomocup", &["START 15", "INFO pondering 1", "INFO timeout_turn 0", "BEGIN"], None),
        ("gomocup", &["START 15"], Some("END")),
        ("gomocup", &[], None),
        ("gomocup", &["START 15", "BOARD", "7,7,1"], None),
        ("agi", &["AGI", "GO INFINITE"], Some("QUIT")),
        ("agi", &["AGI", "GO PONDER"], None),
        ("agi", &["AGI", "GO INFINITE", "DOMOVE 78", "GO INFINITE"], None),
        ("agi", &["AGI", "GO TIME 0"], None),
        ("agi", &[], Some("QUIT")),
    ] {
        let took = soonest(Duration::from_millis(900), || {
            let mut talk = Talk::new(&["--protocol", protocol, "--memory", "16M"]);
            lines.iter().for_each(|line| talk.say(line));
            std::thread::sleep(Duration::from_millis(60));
            let since = Instant::now();
            match end {
                Some(end) => talk.say(end),
                None => talk.hang_up(),
            }
            assert_eq!(talk.end().0, 0, "{lines:?}");
            since.elapsed()
        });
        assert!(took < Duration::from_millis(900), "{took:?} {protocol} {lines:?}");
    }
}
