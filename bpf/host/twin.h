/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The C twins on a host, stepped by records of 64-bit words in host byte order: for the tests
 * and the fuzz target that compare them with Rust.
 *
 * A record is an event and its arguments. For a control:
 *
 *   0 begin      mss, initial window, ssthresh, granularity of timestamps; after the parameters
 *   1 sample     now, rtt, flags, credited, sent_at, received_at, forward, backward, marked;
 *                flags: 1 has an RTT, 2 duplicate, 4 has timestamps, 8 has queueing, 16 marks are
 *                echoed, 32 marks are counted
 *   2 ack        now, acked, in flight, limited by the application
 *   3 loss       now, in flight, lost_sent_at, transmissions, whether it is a mark
 *   4 timeout    now, in flight, consecutive
 *   5 restrict   cwnd
 *   6 parameter  value, name in 32 bytes
 *   7 config     the result is the bytes of the configuration
 *
 * The result is the control's state, padded with zeros. For the helpers, the record is an operation
 * and its arguments, and the result is two words.
 */
#ifndef DUMBBELL_HOST_TWIN_H
#define DUMBBELL_HOST_TWIN_H

#include "../dumbbell.h"

#define DB_RECORD_WORDS 10
#define DB_ANSWER_WORDS 40

enum {
	DB_BEGIN,
	DB_SAMPLE,
	DB_ACK,
	DB_LOSS,
	DB_TIMEOUT,
	DB_RESTRICT,
	DB_PARAMETER,
	DB_CONFIG,
};

/* Returns 0, or -1 if there is no such twin or parameter. */
int db_twin_step(const char *twin, const db_u64 *record, db_u64 *answer);

/* The arithmetic alone. */
void db_helper(const db_u64 *record, db_u64 *answer);

#endif
