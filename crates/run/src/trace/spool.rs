//! Stores the texts of many flows, which are written alternately, and returns them flow by flow.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

/// The memory for text that is not yet in the file, for all flows together.
const MEMORY: usize = 16 << 20;
const LEAST_PIECE: usize = 512;
const MOST_PIECE: usize = 64 << 10;

/// A nameless file, which is removed when the process ends, and the positions of texts in it.
pub(super) struct Spool {
    file: File,
    length: u64,
    /// When a flow has this much text in memory, it is moved to the file.
    piece: usize,
    strands: Vec<Strand>,
}

/// The text of a flow.
#[derive(Clone, Default)]
struct Strand {
    /// Positions and lengths of the pieces in the file.
    pieces: Vec<(u64, u32)>,
    waiting: Vec<u8>,
}

impl Spool {
    /// Creates a spool for this many flows, with its file in a folder.
    pub(super) fn new(flows: usize, folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(folder)?,
            length: 0,
            piece: (MEMORY / flows.max(1)).clamp(LEAST_PIECE, MOST_PIECE),
            strands: vec![Strand::default(); flows],
        })
    }

    /// The buffer to which the next text of a flow is appended.
    pub(super) fn text(&mut self, flow: usize) -> &mut Vec<u8> {
        &mut self.strands[flow].waiting
    }

    /// To be called when text has been appended for a flow.
    pub(super) fn settle(&mut self, flow: usize) -> io::Result<()> {
        let strand = &mut self.strands[flow];
        if strand.waiting.len() < self.piece {
            return Ok(());
        }
        self.file.write_all(&strand.waiting)?;
        strand
            .pieces
            .push((self.length, strand.waiting.len() as u32));
        self.length += strand.waiting.len() as u64;
        strand.waiting.clear();
        Ok(())
    }

    /// Whether a flow has no text.
    pub(super) fn is_empty(&self, flow: usize) -> bool {
        self.strands[flow].pieces.is_empty() && self.strands[flow].waiting.is_empty()
    }

    /// Writes the text of a flow to `out`. No text may be added to any flow afterwards.
    pub(super) fn copy(&mut self, flow: usize, out: &mut impl Write) -> io::Result<()> {
        let strand = std::mem::take(&mut self.strands[flow]);
        let mut piece = Vec::new();
        for (place, length) in strand.pieces {
            piece.resize(length as usize, 0);
            self.file.seek(SeekFrom::Start(place))?;
            self.file.read_exact(&mut piece)?;
            out.write_all(&piece)?;
        }
        out.write_all(&strand.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternating_texts_are_returned_flow_by_flow() {
        let folder = std::env::temp_dir();
        let mut spool = Spool::new(40_000, &folder).expect("room for a file");
        assert_eq!(spool.piece, LEAST_PIECE);
        let mut expected = vec![String::new(); 3];
        for i in 0..3000_usize {
            let flow = i * i % 3;
            let text = format!("{i},");
            spool.text(flow).extend_from_slice(text.as_bytes());
            spool.settle(flow).expect("room");
            expected[flow] += &text;
        }
        assert!(spool.length > 0 && expected[2].is_empty());
        for (flow, expected) in expected.iter().enumerate() {
            assert_eq!(spool.is_empty(flow), expected.is_empty());
            let mut found = Vec::new();
            spool.copy(flow, &mut found).expect("it is there");
            assert_eq!(String::from_utf8(found).as_ref(), Ok(expected));
        }
    }
}
