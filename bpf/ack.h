/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* What the kernel tells with an ACK, as a sample for the control. Part of glue.h. */
#ifndef DUMBBELL_ACK_H
#define DUMBBELL_ACK_H

#include "connection.h"

/* Reads the ACK's timestamps, if they are those of the segment that triggered it. */
static __always_inline void db_read_stamps(struct tcp_sock *tp, struct db_connection *c)
{
	struct db_sample *sample = &c->sample;
	__u32 tsval = tp->rx_opt.rcv_tsval, tsecr = tp->rx_opt.rcv_tsecr;
	__u32 tick = db_usec_stamps(tp) ? 1000 : 1000000;

	sample->has_stamps = 0;
	if (!BPF_CORE_READ_BITFIELD(tp, rx_opt.saw_tstamp) || sample->duplicate ||
	    tcp_ca_state(tp) != TCP_CA_Open || tp->sacked_out)
		return;
	if (c->stamped) {
		c->sent += (__s64)(__s32)(tsecr - (__u32)c->sent);
		c->received += (__s64)(__s32)(tsval - (__u32)c->received);
	} else {
		/* far enough from 0 for a clock that runs backwards */
		c->sent = (1ULL << 32) + tsecr;
		c->received = (1ULL << 32) + tsval;
		c->stamped = 1;
	}
	sample->has_stamps = 1;
	sample->sent_at = c->sent * tick;
	sample->received_at = c->received * tick;
}

#ifdef DB_QUEUEING
/* Reads the routers' report that came with this ACK, if there is one. */
static __always_inline void db_read_report(struct sock *sk, struct db_connection *c)
{
	struct db_aqt_report *report = bpf_sk_storage_get(&aqt_sk, sk, 0, 0);

	c->sample.has_queueing = 0;
	if (!report || report->count == c->reports)
		return;
	c->reports = report->count;
	c->sample.has_queueing = 1;
	c->sample.forward = (__u64)report->echo_us * 1000;
	c->sample.backward = (__u64)report->aqt_us * 1000;
}
#endif

#ifdef DB_MARKS
/* Reads how many segments were marked: no more than the ACK delivers, the rest with the next one. */
static __always_inline void db_read_marks(struct tcp_sock *tp, struct db_connection *c,
					  __u32 delivered)
{
	__u32 marked = tp->delivered_ce - c->counted_ce;

	if (marked > delivered)
		marked = delivered;
	c->counted_ce += marked;
	c->sample.marks = marked ? DB_MARKS_COUNTED : DB_MARKS_NONE;
	c->sample.marked = db_segments(marked);
}
#endif

/* How many small segments in a row are not timed. Few, because a receiver's small window bounds all segments. */
#define DB_SMALL_MOST 4

/*
 * Returns whether an ACK's RTT is one of bulk data. A small segment takes less time to transmit, so its RTT as the
 * base would make all full ones seem to wait. A program that sends only small segments is timed by them, after
 * the first ones. `covered`: the bytes that the ACK newly covers.
 */
static __always_inline int db_is_bulk(struct db_connection *c, const struct tcp_sock *tp,
				      __u32 covered)
{
	if (covered >= tp->mss_cache) {
		c->small = 0;
		return 1;
	}
	/* it only carries SACK blocks */
	if (!covered)
		return 1;
	if (c->small < DB_SMALL_MOST) {
		c->small++;
		return 0;
	}
	return 1;
}

static __always_inline void db_read_ack(struct sock *sk, struct db_connection *c, __s32 rtt_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct db_sample *sample = &c->sample;

	sample->now = db_now(tp);
	sample->has_rtt = db_is_bulk(c, tp, tp->snd_una - c->snd_una) && rtt_us >= 0;
	sample->rtt = sample->has_rtt ? (__u64)rtt_us * 1000 : 0;
	sample->credited = db_segments(tp->delivered - c->delivered);
	sample->duplicate = tp->snd_una == c->snd_una;
#ifdef DB_MARKS
	db_read_marks(tp, c, tp->delivered - c->delivered);
#endif
	c->delivered = tp->delivered;
	c->snd_una = tp->snd_una;
	db_read_stamps(tp, c);
#ifdef DB_QUEUEING
	db_read_report(sk, c);
#endif
}

#endif
