//! How the draft was read (draft-ietf-ccwg-bbr), where it is open or contradicts itself.
//!
//! # Units
//!
//! * Volumes are whole segments: those that fill a path are rounded up, parts of them and what is expected of ACKs are
//!   rounded down. `C.cwnd / growth` and `min(TargetInflight(), 63)`, which mix bytes with numbers, are in segments;
//!   `C.inflight + 1` after a timeout is a segment, as the text says.
//! * InflightAtLoss() computes a prefix of the lost segment. It is less than a segment, so the result is what was in
//!   flight before it. The pseudo-code's prefix is negative if more had been lost before; a prefix cannot be.
//! * 64 KBytes are 65,536 bytes.
//!
//! # What is not said
//!
//! * `C.pacing_gain` in SetPacingRate() is BBR.pacing_gain. The gains of the states of ProbeBW, which no pseudo-code
//!   sets, are those of the table; so is the window gain after ProbeRTT, which would stay 0.5.
//! * Inflight() and BDPMultiple() are called with one and with two arguments. The bandwidth is BBR.bw unless given.
//! * BBR.probe_rtt_min_delay is infinite at first, the stamps are the time of the first event, and
//!   BBR.loss_round_delivered, BBR.bw and BBR.extra_acked are zero. A handshake's RTT is no BBR.min_rtt.
//! * The initial rate is set again with the first smoothed RTT, as the text but not the pseudo-code of "Pacing Rate"
//!   has it; else the rate of 1 ms would last until the pipe is full.
//! * CheckStartupHighLoss() has no pseudo-code. It judges at the end of a loss round, by the sample of that ACK. The
//!   ranges are counted in the order in which segments are declared lost, and one beside the last belongs to its
//!   range. It sets BBR.full_bw_now, too, as case 2 of the appendix has it.
//! * An ACK without a reliable rate counts as one whose RS.delivered, RS.lost and RS.tx_in_flight are zero, and ends no
//!   round: such samples are discarded. UpdateProbeBWCyclePhase() runs on ACKs that report something new.
//! * HandleLostPacket() has a sample of its own. If it wrote into that of the ACK, what the ACK measured would be lost.
//! * The end of a repair restores the window before the other steps of that ACK.
//! * All connections have selective ACKs.
//! * Randomness comes from the digits of the time at which ProbeBW_DOWN begins.
//! * The slow-start threshold is not used and has no limit.
//! * A timeout sets the window to one segment: the host reports it before it knows what is lost, and then sends one.
//!
//! # Contradictions: the pseudo-code decides
//!
//! * Drain has no bound by BBR.inflight_longterm, although the table says so.
//! * Drain ends when more than three rounds have begun, which is in the fourth; case 4 says after three.
//! * A loss while the application limits the sender does not set BBR.inflight_longterm; case 6 says it does.
//! * A sender in ProbeBW_UP that the application limits leaves it for ProbeRTT; case 7 says that it stays.
//! * BBR.offload_budget is at least three quanta of two segments, so the least window is six, not BBR.MinPipeCwnd,
//!   while max_inflight decides.
//! * EnterProbeRTT() precedes SaveCwnd(), so a window saved in an earlier repair may come back if it is larger.
//! * NoteLoss() saves what an undo returns to in each round with losses; the text says when a recovery begins. After the
//!   second round the state before the first is forgotten.
//! * Nothing says whether OnEnterFastRecovery() precedes HandleLostPacket(). It must: else it would clear the
//!   BBR.undo_state that HandleInflightTooHigh() has set. A host that reports the episode after its losses gets the
//!   same result.
//! * A filter of "up to two cycles" holds the current and the previous one. A window of length two, as of the filter
//!   in Linux, would hold three. BBR.extra_acked is the exact maximum of the current round, or of ten.
