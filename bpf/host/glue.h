/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A control's glue on a host, stepped by records of nine 64-bit words in host byte order: an
 * operation and its arguments. What an operation does is what the kernel does then: it moves the
 * socket's numbers and calls the control back, in the kernel's order.
 *
 *   0 begin      mss, snd_cwnd, snd_ssthresh, snd_cwnd_clamp, timestamps: 1 on, 2 in microseconds
 *   1 ack        microseconds later, segments covered, segments delivered, RTT in microseconds or -1,
 *                tsval, tsecr, counts, what cong_avoid is told
 *                (in a recovery: the window that it sets); counts are four of 16 bits from the lowest:
 *                outstanding, SACKed, lost, retransmitted; limited by the window in bit 63 of the last
 *   2 recover    state: Recovery or CWR
 *   3 leave      the recovery's last window is its threshold
 *   4 timeout    microseconds later, the threshold is asked for
 *   5 lower      snd_cwnd, by the kernel
 *   6 config     from which word on, seven words of the configuration
 *   7 undo       the threshold before
 *   8 report     AQT, AQT-echo, in microseconds
 *   9 too large  the kernel learns that segments were too large for the path
 *  10 clamp      snd_cwnd_clamp
 *  11 disorder
 *  12 release    and from then on there is no memory for a connection
 *
 * The answer is snd_cwnd, snd_ssthresh, and the control's state in the words of state.h.
 */
#ifndef DUMBBELL_HOST_GLUE_H
#define DUMBBELL_HOST_GLUE_H

#define DB_GLUE_RECORD_WORDS 9
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
};

#endif
