//! Segments above the first hole, and which of them an ACK reports (RFC 2018).

use std::collections::VecDeque;

use dumbbell_control::hint::cold_path;

use crate::config::Stamping;
use crate::segment::{MAX_SACK_BLOCKS, SackBlock};

/// Segments above the first hole. Their numbers are counted from that of the hole that was the first when there was no
/// other, because with many connections they take much memory.
#[derive(Clone, Debug)]
pub(super) struct Above {
    pub from: u64,
    /// Contiguous runs in ascending order, with holes between them.
    pub runs: VecDeque<Run>,
    /// A segment of each of the last runs that received one, the newest first.
    pub recent: [u32; MAX_SACK_BLOCKS],
}

/// A contiguous run of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub start: u32,
    /// The segment after its last.
    pub end: u32,
}

/// No segment.
pub(super) const NONE: u32 = u32::MAX;

impl Above {
    pub fn boxed() -> Box<Self> {
        Box::new(Self {
            from: 0,
            runs: VecDeque::new(),
            recent: [NONE; MAX_SACK_BLOCKS],
        })
    }

    pub fn insert(&mut self, seq: u32) {
        // New data usually extends the last run or begins a new one after it.
        let at = match self.runs.back() {
            Some(last) if seq < last.start => {
                cold_path();
                self.runs.partition_point(|run| run.end < seq)
            }
            Some(last) if seq <= last.end => self.runs.len() - 1,
            _ => self.runs.len(),
        };
        let Some(run) = self.runs.get_mut(at) else {
            self.runs.push_back(Run {
                start: seq,
                end: seq + 1,
            });
            return;
        };
        if seq + 1 < run.start {
            self.runs.insert(
                at,
                Run {
                    start: seq,
                    end: seq + 1,
                },
            );
        } else if seq + 1 == run.start {
            run.start = seq;
        } else if seq == run.end {
            run.end += 1;
            let end = run.end;
            if let Some(following) = self.runs.get(at + 1).copied()
                && following.start == end
            {
                self.runs[at].end = following.end;
                self.runs.remove(at + 1);
            }
        }
    }

    /// Moves the run of `seq` to the front of the recent runs.
    pub fn remember(&mut self, seq: u32) {
        let run = self.run_of(seq);
        let keep = self
            .recent
            .iter()
            .position(|&s| run.is_some_and(|r| r.start <= s && s < r.end));
        let last = keep.unwrap_or(MAX_SACK_BLOCKS - 1);
        self.recent[..=last].rotate_right(1);
        self.recent[0] = seq;
    }

    pub fn run_of(&self, seq: u32) -> Option<Run> {
        // Mostly the last run is meant.
        let &last = self.runs.back()?;
        if seq >= last.start {
            return (seq < last.end).then_some(last);
        }
        let at = self.runs.partition_point(|run| run.end <= seq);
        self.runs.get(at).copied().filter(|run| run.start <= seq)
    }

    /// Writes the runs behind the first `count` blocks. Returns the number of all blocks.
    pub fn report(
        &self,
        blocks: &mut [SackBlock; MAX_SACK_BLOCKS],
        stamping: Stamping,
        mut count: usize,
    ) -> usize {
        if self.runs.is_empty() {
            return count;
        }
        let first = count;
        let room = match stamping {
            Stamping::Exact => MAX_SACK_BLOCKS,
            Stamping::Option { .. } => MAX_SACK_BLOCKS - 1,
        };
        for &seq in &self.recent {
            let Some(run) = self.run_of(seq) else {
                continue;
            };
            let [start, end] = [run.start, run.end].map(|number| self.from + u64::from(number));
            let run = SackBlock { start, end };
            if count < room && !blocks[first..count].contains(&run) {
                blocks[count] = run;
                count += 1;
            }
        }
        count
    }
}
