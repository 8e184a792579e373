/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * RTT, BaseRTT and backlog: the twin of the Rust modules `estimate::{rtt, base_rtt, round,
 * backlog, incipient}` of dumbbell-control. Zero means "not yet known".
 */
#ifndef DUMBBELL_ESTIMATE_H
#define DUMBBELL_ESTIMATE_H

#include "dumbbell.h"

/* The RTT that a rule uses. */
enum { DB_RTT_SRTT, DB_RTT_LAST, DB_RTT_ROUND_MEAN, DB_RTT_ROUND_MIN };

/* When BaseRTT is reset. */
enum { DB_BASE_RESET_ON_LOSS, DB_BASE_RESET_NEVER };

/* Further samples of a round are ignored, so that the sum fits. */
#define DB_ROUND_MOST (1U << 23)

/* The RTTs of a round: its beginning, the sum or the minimum of its samples, their number. */
struct db_round_statistic {
	db_u64 began;
	db_u64 gathered;
	db_u32 count;
};

/* A sample, limited to between 1 ns and the longest RTT. */
static DB_INLINE db_u64 db_bounded(db_u64 sample)
{
	return db_clamp(sample, 1, DB_RTT_LONGEST);
}

/* A sample of a packet that was sent at the beginning of the round, or later, ends the round. */
static DB_INLINE int db_ends_round(db_u64 began, db_u64 now, db_u64 rtt)
{
	return db_sub(now, rtt) >= began;
}

static DB_INLINE void db_statistic_init(struct db_round_statistic *s)
{
	s->began = 0;
	s->gathered = 0;
	s->count = 0;
}

/* The RTT of the round that a sample ends, otherwise the previous one; in eighths of a nanosecond. */
static DB_INLINE db_u64 db_observe_round(db_u64 rtt, struct db_round_statistic *s, db_u64 now,
					 db_u64 sample, int least)
{
	db_u64 r = db_bounded(sample);

	if (s->count == 0) {
		s->gathered = r;
		s->count = 1;
	} else if (least) {
		s->gathered = db_min(s->gathered, r);
	} else if (s->count < DB_ROUND_MOST) {
		s->gathered += r;
		s->count += 1;
	}
	if (!db_ends_round(s->began, now, sample))
		return rtt;
	rtt = (s->gathered << 3) / s->count;
	s->began = now;
	s->gathered = 0;
	s->count = 0;
	return rtt;
}

/* The RTT after a sample, in eighths of a nanosecond. */
static DB_INLINE db_u64 db_observe_rtt(db_u64 rtt, struct db_round_statistic *s, db_u8 mode,
				       db_u64 now, db_u64 sample)
{
	db_u64 r = db_bounded(sample);

	if (mode == DB_RTT_LAST || (mode == DB_RTT_SRTT && rtt == 0))
		return r << 3;
	if (mode == DB_RTT_SRTT)
		return rtt - (rtt >> 3) + r;
	return db_observe_round(rtt, s, now, sample, mode == DB_RTT_ROUND_MIN);
}

/* The minimum of the samples, in nanoseconds. */
static DB_INLINE db_u64 db_base_rtt(db_u64 base, db_u64 sample)
{
	db_u64 r = db_bounded(sample);

	return base != 0 && base <= r ? base : r;
}

/* BaseRTT after a loss. */
static DB_INLINE db_u64 db_base_after_loss(db_u64 base, db_u8 reset)
{
	return reset == DB_BASE_RESET_ON_LOSS ? 0 : base;
}

/* N >= beta: rtt > base and cwnd * (rtt - base) >= beta * rtt, rtt in eighths. */
static DB_INLINE int db_backlog_reaches(db_u64 beta, db_u64 cwnd, db_u64 rtt, db_u64 base)
{
	base <<= 3;
	if (rtt == 0 || base == 0 || rtt <= base)
		return 0;
	return db_product_at_least(cwnd, rtt - base, beta, rtt);
}

/* N > bound, computed likewise. */
static DB_INLINE int db_backlog_exceeds(db_u64 bound, db_u64 cwnd, db_u64 rtt, db_u64 base)
{
	base <<= 3;
	if (rtt == 0 || base == 0 || rtt <= base)
		return 0;
	return db_product_above(cwnd, rtt - base, bound, rtt);
}

/* LDED: congestion begins at N >= beta, ends at N <= alpha, and is unchanged otherwise. */
static DB_INLINE int db_is_incipient(int was, db_u64 alpha, db_u64 beta, db_u64 cwnd, db_u64 rtt,
				     db_u64 base)
{
	if (db_backlog_reaches(beta, cwnd, rtt, base))
		return 1;
	return was && db_backlog_exceeds(alpha, cwnd, rtt, base);
}

#endif
