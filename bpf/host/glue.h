/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A control's glue on a host, stepped by records of ten 64-bit words in host byte order: an
 * operation and its arguments. An operation does what the kernel does: it changes the socket's
 * numbers and calls the control's callbacks, in the kernel's order.
 *
 *   0 begin      mss, snd_cwnd, snd_ssthresh, snd_cwnd_clamp, timestamps: 1 on, 2 in microseconds; of a connection
 *                that has begun with another control: segments sent, the state, segments outstanding, segments delivered
 *   1 ack        microseconds later, segments covered, segments delivered, RTT in microseconds or -1,
 *                tsval, tsecr, counts, the argument of cong_avoid
 *                (in a recovery: the window that it sets); counts are four fields of 16 bits, from the
 *                lowest: outstanding, SACKed, lost, retransmitted; the last word also has the segments
 *                with ECE from bit 32 on, and in bit 63: limited by the window
 *   2 recover    state: Recovery or CWR; lost segments
 *   3 leave      the recovery's last window is its threshold
 *   4 timeout    microseconds later, whether ssthresh is called
 *   5 lower      snd_cwnd, by the kernel
 *   6 config     the first word, seven words of the configuration
 *   7 undo       the threshold before
 *   8 report     AQT, AQT-echo, in microseconds
 *   9 too large  the kernel learns that segments were too large for the path
 *  10 clamp      snd_cwnd_clamp
 *  11 disorder
 *  12 release    after it, there is no memory for a connection
 *  13 small      an ACK of less than a full segment: us since the last, bytes, RTT in us
 *  14 arrive     data: whether it is marked, rcv_nxt after it, whether an ACK is delayed
 *
 * The result is snd_cwnd, snd_ssthresh, and the control's state in the words of state.h. After `arrive`, its last
 * four words are: whether ACKs have ECE, whether one must be sent at once, what an ACK that was sent meanwhile
 * acknowledges, and whether that had ECE.
 */
#ifndef DUMBBELL_HOST_GLUE_H
#define DUMBBELL_HOST_GLUE_H

#define DB_GLUE_RECORD_WORDS 10
#define DB_GLUE_ANSWER_WORDS 42

enum {
	DB_GLUE_BEGIN,
	DB_GLUE_ACK,
	DB_GLUE_RECOVER,
	DB_GLUE_LEAVE,
	DB_GLUE_TIMEOUT,
	DB_GLUE_LOWER,
	DB_GLUE_CONFIGURE,
	DB_GLUE_UNDO,
	DB_GLUE_REPORT,
	DB_GLUE_TOO_LARGE,
	DB_GLUE_CLAMP,
	DB_GLUE_DISORDER,
	DB_GLUE_RELEASE,
	DB_GLUE_SMALL,
	DB_GLUE_ARRIVE,
};

#endif
