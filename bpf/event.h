/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The events that a host passes to a control: the twin of the Rust module `event` of
 * dumbbell-control, which documents each field. Times are nanoseconds, windows segments << 32.
 */
#ifndef DUMBBELL_EVENT_H
#define DUMBBELL_EVENT_H

#include "dumbbell.h"

/* What is known about a connection before its first packet. */
struct db_path {
	db_u64 initial_window;
	db_u64 ssthresh;
	db_u64 stamp_granularity;
	/* payload of a full segment, in bytes; 0 counts as 1 */
	db_u32 mss;
};

/* What an ACK reports about ECN marks: nothing, that there were some, how many. */
enum { DB_MARKS_NONE, DB_MARKS_ECHOED, DB_MARKS_COUNTED };

/* Passed for every ACK, duplicates and ACKs in recovery included. */
struct db_sample {
	db_u64 now;
	/* with has_rtt */
	db_u64 rtt;
	/* segments that left the network with this ACK */
	db_u64 credited;
	/* with has_stamps: when the packet that triggered the ACK was sent, and when it arrived, by the
	 * clocks of its sender and its receiver */
	db_u64 sent_at;
	db_u64 received_at;
	/* with has_queueing: how long the data and its ACK waited in routers */
	db_u64 forward;
	db_u64 backward;
	/* with DB_MARKS_COUNTED: marked segments of those that left the network */
	db_u64 marked;
	db_u8 marks;
	db_u8 has_rtt;
	db_u8 duplicate;
	db_u8 has_stamps;
	db_u8 has_queueing;
};

/* New data was acknowledged outside recovery. */
struct db_ack {
	db_u64 now;
	db_u64 acked;
	db_u64 in_flight;
	db_u8 app_limited;
};

/* A loss episode begins. */
struct db_loss {
	db_u64 now;
	db_u64 in_flight;
	/* when the lost segment was last sent, and how often it has been sent */
	db_u64 lost_sent_at;
	db_u32 transmissions;
	/* not a loss: a mark of ECN */
	db_u8 is_mark;
};

/* The retransmission timer fired, for the consecutive-th time for this segment. */
struct db_timeout {
	db_u64 now;
	db_u64 in_flight;
	db_u32 consecutive;
};

/* Duplicate ACKs do not update the estimators of RTT and BaseRTT. */
static DB_INLINE int db_has_rtt_of_new_data(const struct db_sample *sample)
{
	return sample->has_rtt && !sample->duplicate;
}

#endif
