use crate::Frame;
use games::Size;
use std::sync::Arc;

/// The frames of the boards that were asked for.
#[derive(Clone, Debug)]
pub struct Frames {
    symmetric: bool,
    known: Vec<Arc<Frame>>,
}

impl Frames {
    /// No frame yet; keys are turned into their least image if `symmetric`.
    pub fn new(symmetric: bool) -> Frames {
        Frames { symmetric, known: Vec::new() }
    }

    /// The frame of a board.
    pub fn of(&mut self, size: Size) -> &Frame {
        self.shared(size)
    }

    /// The frame of a board, to be held by several.
    pub(crate) fn shared(&mut self, size: Size) -> &Arc<Frame> {
        let at = self.known.iter().position(|frame| frame.size() == size).unwrap_or_else(|| {
            self.known.push(Arc::new(Frame::new(size, self.symmetric)));
            self.known.len() - 1
        });
        &self.known[at]
    }
}
