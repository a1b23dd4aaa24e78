//! Libraries and games to measure with: the same for the same numbers on every machine.

/// A small generator of numbers; good enough to shape trees.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

const H8: u8 = 0x78;

/// The bytes of a `.lib` of so many nodes: one in ten has a board text, one in fifty a comment.
///
/// Lines are up to 60 plies deep, no stone stands on a stone, siblings ascend.
pub fn library(nodes: usize) -> Vec<u8> {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut bytes = b"\xFFRenLib\xFF\x03\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF".to_vec();
    let mut path: Vec<u8> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut previous = None;
    for left in (1..=nodes).rev() {
        let free = |point: &u8| point & 15 != 0 && !path.contains(point);
        let point = match previous {
            None if path.is_empty() => H8,
            None => {
                let from = 1 + random.below(0xA0) as u8;
                (from..0xF0).chain(1..from).find(free).expect("lines are shorter than the board")
            }
            Some(sibling) => (sibling + 1..0xF0).find(free).expect("siblings are announced where there is room"),
        };
        path.push(point);
        let room = (point + 1..0xF0).any(|next| next & 15 != 0 && !path.contains(&next));
        let depth = path.len();
        let closing = left <= open.len() + 1;
        // A leaf with nothing open would end the tree.
        let leaf = closing || depth >= 60 || (depth > 8 && !open.is_empty() && random.below(4) == 0);
        // Near the root every move has another, or the tree would run out of room before its time.
        let more = left > open.len() + 2 && room && (2..6).contains(&depth) | (depth > 1 && random.below(3) == 0);
        let leaf = leaf && (closing || more || !open.is_empty());
        node(&mut bytes, point, u8::from(more) << 7 | u8::from(leaf) << 6, &mut random, left);
        if more {
            open.push(depth);
        }
        previous = None;
        if leaf && let Some(sibling) = open.pop() {
            previous = Some(path[sibling - 1]);
            path.truncate(sibling - 1);
        }
    }
    bytes
}

fn node(bytes: &mut Vec<u8>, point: u8, flags: u8, random: &mut Random, number: usize) {
    let (text, comment) = (random.below(10) == 0, random.below(50) == 0);
    bytes.extend([point, flags | u8::from(comment) << 3 | u8::from(text)]);
    if text {
        bytes.extend([0, 1]);
    }
    if comment {
        push_text(format!("Plan {number} is sound\x08White answers on the left,\r\nor loses.").as_bytes(), bytes);
    }
    if text {
        let labels = [&b"A"[..], b"b", b"c5", b"W", b"52%", b"a1"];
        push_text(labels[random.below(6) as usize], bytes);
    }
}

fn push_text(text: &[u8], bytes: &mut Vec<u8>) {
    bytes.extend(text);
    bytes.push(0);
    if text.len().is_multiple_of(2) {
        bytes.push(0);
    }
}
