/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * RTT, BaseRTT and backlog: the twin of the Rust modules `estimate::{rtt, base_rtt, backlog}`
 * of dumbbell-control. Zero means "not yet known".
 */
#ifndef DUMBBELL_ESTIMATE_H
#define DUMBBELL_ESTIMATE_H

#include "dumbbell.h"

/* The RTT that a rule takes. */
enum { DB_RTT_SRTT, DB_RTT_LAST, DB_RTT_ROUND_MEAN, DB_RTT_ROUND_MIN };

/* Samples of a round beyond this many are left out, so that a sum fits. */
#define DB_ROUND_MOST (1U << 23)

struct db_rtt {
	/* eighths of a nanosecond */
	db_u64 rtt;
	/* the round: when it began, the sum or the minimum of its samples, their number */
	db_u64 began;
	db_u64 gathered;
	db_u32 count;
};

/* A sample within 1 ns and the longest RTT. */
static DB_INLINE db_u64 db_bounded(db_u64 sample)
{
	return db_clamp(sample, 1, DB_RTT_LONGEST);
}

static DB_INLINE void db_observe_round(struct db_rtt *e, db_u64 now, db_u64 sample, int least)
{
	db_u64 r = db_bounded(sample);

	if (e->count == 0) {
		e->gathered = r;
		e->count = 1;
	} else if (least) {
		e->gathered = db_min(e->gathered, r);
	} else if (e->count < DB_ROUND_MOST) {
		e->gathered += r;
		e->count += 1;
	}
	if (db_sub(now, sample) < e->began)
		return;
	e->rtt = (e->gathered << 3) / e->count;
	e->began = now;
	e->gathered = 0;
	e->count = 0;
}

static DB_INLINE void db_observe_rtt(struct db_rtt *e, db_u8 mode, db_u64 now, db_u64 sample)
{
	db_u64 r = db_bounded(sample);

	if (mode == DB_RTT_LAST || (mode == DB_RTT_SRTT && e->rtt == 0))
		e->rtt = r << 3;
	else if (mode == DB_RTT_SRTT)
		e->rtt = e->rtt - (e->rtt >> 3) + r;
	else
		db_observe_round(e, now, sample, mode == DB_RTT_ROUND_MIN);
}

/* The minimum of the samples, in nanoseconds. */
static DB_INLINE db_u64 db_base_rtt(db_u64 base, db_u64 sample)
{
	db_u64 r = db_bounded(sample);

	return base != 0 && base <= r ? base : r;
}

/* N >= beta: rtt > base and cwnd * (rtt - base) >= beta * rtt, rtt in eighths. */
static DB_INLINE int db_backlog_reaches(db_u64 beta, db_u64 cwnd, db_u64 rtt, db_u64 base)
{
	base <<= 3;
	if (rtt == 0 || base == 0 || rtt <= base)
		return 0;
	return db_product_at_least(cwnd, rtt - base, beta, rtt);
}

#endif
