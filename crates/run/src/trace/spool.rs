//! Texts of many flows, written as they come and read back flow by flow.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

/// Memory for what is not yet in the file, of all flows together.
const MEMORY: usize = 16 << 20;
const LEAST_PIECE: usize = 512;
const MOST_PIECE: usize = 64 << 10;

/// A file without a name, which is gone with the process, and the places in it.
pub(super) struct Spool {
    file: File,
    length: u64,
    /// A flow's text goes to the file when there is this much of it.
    piece: usize,
    strands: Vec<Strand>,
}

/// The text of a flow.
#[derive(Clone, Default)]
struct Strand {
    /// Places and lengths of what is in the file.
    pieces: Vec<(u64, u32)>,
    waiting: Vec<u8>,
}

impl Spool {
    /// For so many flows, in a folder.
    pub(super) fn new(flows: usize, folder: &Path) -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile_in(folder)?,
            length: 0,
            piece: (MEMORY / flows.max(1)).clamp(LEAST_PIECE, MOST_PIECE),
            strands: vec![Strand::default(); flows],
        })
    }

    /// Where the next text of a flow is written.
    pub(super) fn text(&mut self, flow: usize) -> &mut Vec<u8> {
        &mut self.strands[flow].waiting
    }

    /// The text of a flow has grown.
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

    /// Writes the text of a flow to `out`. Nothing is to be added to any afterwards.
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
    fn what_was_mixed_comes_back_in_order() {
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
