/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * DCTCP: a mark cuts the window by as much as many segments are marked. RFC 8257.
 *
 * The twin of the Rust module `algorithm::dctcp` of dumbbell-control: the same events give the same state, bit for
 * bit.
 */
#ifndef DUMBBELL_DCTCP_H
#define DUMBBELL_DCTCP_H

#include "growth.h"
#include "marked.h"

/* The rule that was applied last. */
enum {
	DB_DCTCP_NONE,
	DB_DCTCP_MARK,
	/* nothing: a mark that came too early */
	DB_DCTCP_EARLY,
	DB_DCTCP_LOSS,
	DB_DCTCP_LOSS_AFTER_MARK,
	DB_DCTCP_TIMEOUT,
	DB_DCTCP_REPEATED_TIMEOUT,
};

struct db_dctcp_config {
	struct db_rules growth;
	/* weight of the last observation window, and alpha at the start, in millionths */
	db_u32 gain;
	db_u32 initial_alpha;
};

struct db_dctcp {
	struct db_growth growth;
	struct db_marked marked;
	/* the last cut by a mark, and the window before it; 0 if there was none since the last loss */
	db_u64 cut_at;
	db_u64 cut_before;
	/* the rule of the last mark or loss */
	db_u8 cause;
};

_Static_assert(sizeof(struct db_dctcp) <= 104, "fits in icsk_ca_priv");

static DB_INLINE void db_dctcp_init(struct db_dctcp *v, const struct db_dctcp_config *config,
				    const struct db_path *path)
{
	db_growth_init(&v->growth, path);
	db_marked_init(&v->marked, config->initial_alpha);
	v->cut_at = 0;
	v->cut_before = 0;
	v->cause = DB_DCTCP_NONE;
}

static DB_INLINE void db_dctcp_on_sample(struct db_dctcp *v, const struct db_dctcp_config *config,
					 const struct db_sample *sample)
{
	db_count_marks(&v->marked, sample);
	if (db_is_marking_over(&v->marked, sample))
		db_update_marked(&v->marked, config->gain, sample->now);
}

static DB_INLINE void db_dctcp_on_ack(struct db_dctcp *v, const struct db_dctcp_config *config,
				      const struct db_ack *ack)
{
	db_grow(&v->growth, &config->growth, ack);
}

/* A mark cuts once in a window of data. */
static DB_INLINE void db_dctcp_on_mark(struct db_dctcp *v, const struct db_dctcp_config *config,
				       const struct db_loss *mark, db_u64 window)
{
	db_u64 cwnd = v->growth.cwnd;

	if (v->cut_before > 0 && mark->lost_sent_at <= v->cut_at) {
		v->cause = DB_DCTCP_EARLY;
		return;
	}
	db_limit(&v->growth, &config->growth, db_without_half(window, v->marked.alpha));
	v->cut_at = mark->now;
	v->cut_before = cwnd;
	v->cause = DB_DCTCP_MARK;
}

static DB_INLINE void db_dctcp_on_loss(struct db_dctcp *v, const struct db_dctcp_config *config,
				       const struct db_loss *loss)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, loss->in_flight);
	db_u64 target = db_scaled(window, DB_RATIO_ONE / 2);

	if (loss->is_mark) {
		db_dctcp_on_mark(v, config, loss, window);
		return;
	}
	v->cause = DB_DCTCP_LOSS;
	/* a loss and a mark in one window halve it together */
	if (v->cut_before > 0 && loss->lost_sent_at <= v->cut_at) {
		target = db_max(target, db_min(db_scaled(v->cut_before, DB_RATIO_ONE / 2),
					       v->growth.cwnd));
		v->cause = DB_DCTCP_LOSS_AFTER_MARK;
	}
	v->cut_at = 0;
	v->cut_before = 0;
	db_cut(&v->growth, &config->growth, target);
}

static DB_INLINE void db_dctcp_on_timeout(struct db_dctcp *v, const struct db_dctcp_config *config,
					  const struct db_timeout *timeout)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, timeout->in_flight);

	db_time_out(&v->growth, &config->growth, db_scaled(window, DB_RATIO_ONE / 2), timeout);
	v->cut_at = 0;
	v->cut_before = 0;
}

/* What a loss halves after a cut by a mark is not more than a window that was lowered since. */
static DB_INLINE void db_dctcp_restrict(struct db_dctcp *v, db_u64 cwnd)
{
	if (cwnd >= v->growth.cwnd)
		return;
	db_restrict(&v->growth, cwnd);
	v->cut_before = db_min(v->cut_before, v->growth.cwnd);
}

/* The rule of the last cut. */
static DB_INLINE db_u8 db_dctcp_rule(const struct db_dctcp *v)
{
	if (v->growth.step == DB_STEP_TIMEOUT)
		return DB_DCTCP_TIMEOUT;
	if (v->growth.step == DB_STEP_REPEATED_TIMEOUT)
		return DB_DCTCP_REPEATED_TIMEOUT;
	return v->cause;
}

#endif
