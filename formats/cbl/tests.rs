use super::FORMAT;
use crate::cbr;
use crate::detect;
use crate::samples::*;
use record::bind;

fn sample() -> Vec<u8> {
    std::fs::read(testdata("cbl/three.cbl")).unwrap()
}

#[test]
fn records_are_found_behind_long_ones_and_empty_places() {
    let read_all = read_with(&FORMAT, &sample(), &strict()).unwrap();
    let titles: Vec<_> = read_all.records.iter().map(|record| record.head.tag("Title").unwrap()).collect();
    assert_eq!(titles, ["自编棋谱", "长谱", "残局"]);
    assert_eq!(read_all.records[1].tree.line(record::NodeId::ROOT).unwrap().chars().count(), 1500);
    let alone = read(&cbr::FORMAT, &std::fs::read(testdata("cbr/endgame.cbr")).unwrap()).unwrap();
    assert_eq!(read_all.records[2], alone.one());
    let told = read_all.faults.list();
    assert_eq!(
        told.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["the name of the library, `自编棋谱库` at byte 0x40: passed over"]
    );
}

#[test]
fn a_record_that_cannot_be_read_costs_that_record() {
    let mut bytes = sample();
    let second = super::starts(&bytes, super::INDEX).nth(1).unwrap();
    bytes[second + 19] = 0;
    let read = read(&FORMAT, &bytes).unwrap();
    assert_eq!(read.records.len(), 2);
    let fault = read.faults.list().iter().find(|fault| fault.kind == "bad-record").unwrap();
    assert_eq!(
        fault.to_string(),
        "version 0 of CCBridge is not known here at game 2, byte 0x19e53: versions 1 and 2 are; the game was left out"
    );
}

/// Games, moves, comments: what a reader of thirty lines in another language counts.
#[test]
fn every_sample_reads() {
    let Some(folder) = shared("data/xiangqi/cbl") else { return };
    for (name, wanted) in
        [("1956年全国象棋锦标赛93局.CBL", (93, 7313, 0, 0)), ("1989年龙化杯象棋名师邀请赛35局.CBL", (38, 3302, 90, 0))]
    {
        let bytes = std::fs::read(folder.join(name)).unwrap();
        assert_eq!(detect(&bytes, None).unwrap().name, "cbl");
        let read = read_with(&FORMAT, &bytes, &strict()).unwrap();
        let (mut moves, mut comments, mut unplayable) = (0, 0, 0);
        for record in &read.records {
            let tree = &record.tree;
            moves += tree.len() - 1;
            comments += tree.nodes().filter(|node| tree.line(*node).is_some() || tree.body(*node).is_some()).count();
            unplayable += bind(record, None).unwrap().unplayable.len();
        }
        assert_eq!((read.records.len(), moves, comments, unplayable), wanted, "{name}");
    }
}

#[test]
fn damaged_files_end_politely() {
    let bytes = sample();
    damage(&bytes[super::INDEX + 128 * 276..], 200, |records| {
        // An index of no length, so that nothing is copied that is passed over.
        let bytes = [&bytes[..super::INDEX], records].concat();
        for options in [strict(), lenient()] {
            let _ = read_with(&FORMAT, &bytes, &options);
        }
    });
    for end in [0, 15, 16, 100, super::INDEX - 1, super::INDEX] {
        assert!(read(&FORMAT, &bytes[..end]).is_err());
    }
}
