/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * How a window grows: slow start and congestion avoidance (RFC 5681, section 3.1; RFC 3465),
 * the twin of the Rust module `growth` of dumbbell-control.
 */
#ifndef DUMBBELL_GROWTH_H
#define DUMBBELL_GROWTH_H

#include "dumbbell.h"
#include "event.h"

/* How much an ACK counts: one segment, what it covers up to one segment, all that it covers. */
enum { DB_COUNT_ACK, DB_COUNT_SEGMENT, DB_COUNT_ABC };

/* The window that a loss cuts: the one without inflation, or the segments outstanding. */
enum { DB_LOSS_CWND, DB_LOSS_FLIGHT };

/* How a window was cut last. */
enum {
	DB_STEP_NONE,
	DB_STEP_CUT,
	DB_STEP_RESTART,
	DB_STEP_TIMEOUT,	/* and the threshold was set */
	DB_STEP_REPEATED_TIMEOUT,	/* and the threshold was not changed */
};

struct db_rules {
	db_u8 counting;
	db_u8 abc_limit;
	db_u8 loss_window;
	db_u8 min_ssthresh;
	db_u8 rto_repeat_halve;
};

struct db_growth {
	db_u64 cwnd;
	db_u64 ssthresh;
	/* with ABC: acknowledged and not yet used for growth; while repairing,
	 * outstanding at the timeout and not yet acknowledged */
	db_u64 credit;
	db_u8 repairing;
	db_u8 step;
};

static DB_INLINE void db_growth_init(struct db_growth *g, const struct db_path *path)
{
	g->cwnd = db_clamp(path->initial_window, DB_SEGMENT, DB_CWND_CAP);
	g->ssthresh = path->ssthresh;
	g->credit = 0;
	g->repairing = 0;
	g->step = DB_STEP_NONE;
}

static DB_INLINE void db_set_cwnd(struct db_growth *g, db_u64 cwnd)
{
	g->cwnd = db_clamp(cwnd, DB_SEGMENT, DB_CWND_CAP);
}

static DB_INLINE void db_set_ssthresh(struct db_growth *g, const struct db_rules *rules,
				      db_u64 ssthresh)
{
	g->ssthresh = db_clamp(ssthresh, (db_u64)rules->min_ssthresh << 32, DB_CWND_CAP);
}

static DB_INLINE void db_forget_credit(struct db_growth *g)
{
	g->credit = 0;
	g->repairing = 0;
}

static DB_INLINE int db_is_slow_start(const struct db_growth *g)
{
	return g->cwnd < g->ssthresh;
}

/* Slow start: one segment for each segment that left the network. */
static DB_INLINE void db_accelerate(struct db_growth *g, const struct db_rules *rules,
				    db_u64 acked)
{
	db_u64 step = DB_SEGMENT;

	if (rules->counting == DB_COUNT_SEGMENT) {
		step = db_min(acked, DB_SEGMENT);
	} else if (rules->counting == DB_COUNT_ABC) {
		db_u64 limit = (db_u64)rules->abc_limit << 32;

		/* at most one segment per ACK while a timeout is repaired */
		if (g->repairing) {
			g->credit = db_sub(g->credit, acked);
			g->repairing = g->credit > 0;
			limit = DB_SEGMENT;
		}
		/* no further than the threshold, except by the first segment */
		step = db_min(db_min(acked, limit),
			      db_max(db_sub(g->ssthresh, g->cwnd), DB_SEGMENT));
	}
	db_set_cwnd(g, db_add(g->cwnd, step));
}

/* ABC: one segment once a whole window has been acknowledged. */
static DB_INLINE void db_avoid_by_credit(struct db_growth *g, db_u64 acked)
{
	if (g->repairing)
		db_forget_credit(g);
	g->credit = db_add(g->credit, acked);
	if (g->credit >= g->cwnd) {
		g->credit -= g->cwnd;
		db_set_cwnd(g, db_add(g->cwnd, DB_SEGMENT));
	}
}

/* Congestion avoidance: one segment for each window. */
static DB_INLINE void db_avoid(struct db_growth *g, const struct db_rules *rules,
			       db_u64 acked)
{
	if (rules->counting == DB_COUNT_ABC)
		db_avoid_by_credit(g, acked);
	else
		db_set_cwnd(g, db_add(g->cwnd, db_reciprocal(g->cwnd)));
}

/* Congestion avoidance: some quarters of a segment for each window, at most 2^8. */
static DB_INLINE void db_avoid_by(struct db_growth *g, const struct db_rules *rules,
				  db_u64 acked, db_u32 quarters)
{
	if (rules->counting == DB_COUNT_ABC)
		db_avoid_by_credit(g, db_min(acked, DB_CWND_CAP) * quarters >> 2);
	else
		db_set_cwnd(g, db_add(g->cwnd, db_reciprocal(g->cwnd) * quarters >> 2));
}

/* Reno's growth by one ACK. */
static DB_INLINE void db_grow(struct db_growth *g, const struct db_rules *rules,
			      const struct db_ack *ack)
{
	if (ack->app_limited)
		return;
	if (db_is_slow_start(g))
		db_accelerate(g, rules, ack->acked);
	else
		db_avoid(g, rules, ack->acked);
}

/* The window that a loss cuts. */
static DB_INLINE db_u64 db_at_loss(const struct db_growth *g, const struct db_rules *rules,
				   db_u64 in_flight)
{
	return rules->loss_window == DB_LOSS_FLIGHT ? db_min(g->cwnd, in_flight) : g->cwnd;
}

/* A cut: the threshold becomes ssthresh, and the window the threshold. */
static DB_INLINE void db_cut(struct db_growth *g, const struct db_rules *rules, db_u64 ssthresh)
{
	db_set_ssthresh(g, rules, ssthresh);
	g->cwnd = g->ssthresh;
	db_forget_credit(g);
	g->step = DB_STEP_CUT;
}

/* A cut of the threshold that never raises the window. */
static DB_INLINE void db_limit(struct db_growth *g, const struct db_rules *rules,
			       db_u64 ssthresh)
{
	db_set_ssthresh(g, rules, ssthresh);
	g->cwnd = db_min(g->cwnd, g->ssthresh);
	db_forget_credit(g);
	g->step = DB_STEP_CUT;
}

/* One segment; with ABC the outstanding segments must be repaired first. */
static DB_INLINE void db_restart_below(struct db_growth *g, const struct db_rules *rules,
				       db_u64 in_flight)
{
	g->cwnd = DB_SEGMENT;
	db_forget_credit(g);
	if (rules->counting == DB_COUNT_ABC) {
		g->credit = in_flight;
		g->repairing = 1;
	}
}

/* A new start at one segment, with the threshold ssthresh. */
static DB_INLINE void db_restart(struct db_growth *g, const struct db_rules *rules,
				 db_u64 ssthresh, db_u64 in_flight)
{
	db_set_ssthresh(g, rules, ssthresh);
	db_restart_below(g, rules, in_flight);
	g->step = DB_STEP_RESTART;
}

/* A timeout by RFC 5681: a new start; the threshold is cut once per segment. */
static DB_INLINE void db_time_out(struct db_growth *g, const struct db_rules *rules,
				  db_u64 ssthresh, const struct db_timeout *timeout)
{
	g->step = DB_STEP_REPEATED_TIMEOUT;
	if (timeout->consecutive < 2 || rules->rto_repeat_halve) {
		db_set_ssthresh(g, rules, ssthresh);
		g->step = DB_STEP_TIMEOUT;
	}
	db_restart_below(g, rules, timeout->in_flight);
}

/* Lowers the window to at most cwnd, never below one segment. */
static DB_INLINE void db_restrict(struct db_growth *g, db_u64 cwnd)
{
	db_set_cwnd(g, db_min(g->cwnd, cwnd));
}

#endif
