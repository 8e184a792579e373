/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Vegas: keeps a few segments waiting in the path, and no more. Brakmo and Peterson, "TCP Vegas:
 * End to End Congestion Avoidance on a Global Internet", IEEE JSAC 13(8), 1995.
 *
 * The twin of the Rust module `algorithm::vegas` of dumbbell-control: the same events give the
 * same state, bit for bit. That module documents the rules, their interpretation and their
 * sources. Everything that affects decisions is implemented; the diff that Rust keeps only for
 * display is not.
 */
#ifndef DUMBBELL_VEGAS_H
#define DUMBBELL_VEGAS_H

#include "dumbbell.h"
#include "estimate.h"
#include "event.h"
#include "growth.h"

/* Further samples of a round are ignored, so that their sum fits. */
#define DB_VEGAS_MOST (1U << 24)

/* Growth in the present round. */
enum { DB_PACE_HOLD, DB_PACE_SLOW_START, DB_PACE_LINEAR };

/* The rule of the present round. */
enum {
	DB_VEGAS_START,
	DB_VEGAS_PAUSE,		/* slow start without growth in this round */
	DB_VEGAS_SLOW_START,	/* diff <= gamma */
	DB_VEGAS_STOP,		/* slow start ended within the round */
	DB_VEGAS_EXIT,		/* diff > gamma: slow start is over */
	DB_VEGAS_DECREASE,	/* diff > beta */
	DB_VEGAS_INCREASE,	/* diff < alpha */
	DB_VEGAS_HOLD,
};

/* The loss since the last round was judged. */
enum {
	DB_VEGAS_NO_LOSS,
	DB_VEGAS_FIRST,		/* of a segment sent once */
	DB_VEGAS_AGAIN,		/* of a segment sent again */
	DB_VEGAS_OLD,		/* sent before the last cut */
	DB_VEGAS_TIMEOUT,
	DB_VEGAS_REPEATED_TIMEOUT,
};

struct db_vegas_config {
	struct db_rules growth;
	db_u8 int_diff;
	db_u8 min_cwnd;
	db_u8 timeout_cwnd;
	db_u8 slack;
	db_u32 factor_exit;
	db_u32 factor_first;
	db_u32 factor_again;
	db_u32 factor_timeout;
	db_u64 alpha;
	db_u64 beta;
	db_u64 gamma;
};

struct db_vegas {
	struct db_growth growth;
	db_u64 base;
	/* sum and number of the round's samples */
	db_u64 sum;
	/* the growth per ACK in this round with DB_PACE_LINEAR */
	db_u64 increment;
	/* when the round began */
	db_u64 began;
	/* with has_cut */
	db_u64 last_cut;
	db_u32 samples;
	db_u8 has_cut;
	db_u8 pace;
	db_u8 round_over;
	/* slow start grows in this round, and not in the next */
	db_u8 grows;
	db_u8 rule;
	db_u8 loss;
};

/* The kernel's memory for a socket's congestion control has 104 bytes. */
_Static_assert(sizeof(struct db_vegas) <= 104, "Vegas' state fits the kernel's 104 bytes");

/* diff = window * extra / total */
struct db_diff {
	db_u64 window;
	db_u64 extra;
	db_u64 total;
	db_u8 rounded;
};

static DB_INLINE struct db_diff db_vegas_diff(const struct db_vegas *v,
					      const struct db_vegas_config *config)
{
	struct db_diff diff;

	diff.window = v->growth.cwnd;
	diff.extra = db_sub(v->sum, v->base * v->samples);
	diff.total = v->sum;
	diff.rounded = config->int_diff;
	return diff;
}

/* n whole segments, saturating */
static DB_INLINE db_u64 db_whole(db_u64 n)
{
	return n >> 32 ? DB_U64_MAX : n << 32;
}

/* diff > bound; rounded to the nearest: diff >= floor(bound) + 1/2 */
static DB_INLINE int db_diff_above(const struct db_diff *diff, db_u64 bound)
{
	if (!diff->rounded)
		return db_product_above(diff->window, diff->extra, bound, diff->total);
	bound = db_add(db_whole(bound >> 32), DB_SEGMENT >> 1);
	return db_product_at_least(diff->window, diff->extra, bound, diff->total);
}

/* diff < bound; rounded to the nearest: diff < ceil(bound) - 1/2 */
static DB_INLINE int db_diff_below(const struct db_diff *diff, db_u64 bound)
{
	if (diff->rounded)
		bound = db_sub(db_whole(db_add(bound, DB_SEGMENT - 1) >> 32), DB_SEGMENT >> 1);
	return db_product_above(bound, diff->total, diff->window, diff->extra);
}

static DB_INLINE void db_vegas_set_cwnd(struct db_vegas *v, const struct db_vegas_config *config,
					db_u64 cwnd)
{
	db_set_cwnd(&v->growth, db_max(cwnd, (db_u64)config->min_cwnd << 32));
}

static DB_INLINE void db_vegas_forget_samples(struct db_vegas *v)
{
	v->sum = 0;
	v->samples = 0;
}

static DB_INLINE void db_vegas_begin_round(struct db_vegas *v, db_u64 now)
{
	v->began = now;
	v->round_over = 0;
	db_vegas_forget_samples(v);
}

static DB_INLINE void db_vegas_init(struct db_vegas *v, const struct db_vegas_config *config,
				    const struct db_path *path)
{
	(void)config;
	db_growth_init(&v->growth, path);
	db_vegas_begin_round(v, 0);
	v->base = 0;
	v->increment = 0;
	v->last_cut = 0;
	v->has_cut = 0;
	v->pace = DB_PACE_SLOW_START;
	v->grows = 1;
	v->rule = DB_VEGAS_START;
	v->loss = DB_VEGAS_NO_LOSS;
}

/* Sets the pace of the coming round, and its reason. */
static DB_INLINE void db_vegas_go(struct db_vegas *v, db_u8 pace, db_u8 rule)
{
	v->pace = pace;
	v->rule = rule;
}

/* The end of a round in slow start. */
static DB_INLINE void db_vegas_judge_slow_start(struct db_vegas *v,
						const struct db_vegas_config *config,
						const struct db_diff *diff)
{
	v->grows = !v->grows;
	if (!v->grows) {
		db_vegas_go(v, DB_PACE_HOLD, DB_VEGAS_PAUSE);
	} else if (db_diff_above(diff, config->gamma)) {
		db_set_ssthresh(&v->growth, &config->growth, 0);
		db_vegas_set_cwnd(v, config, db_scaled(diff->window, config->factor_exit));
		db_vegas_go(v, DB_PACE_HOLD, DB_VEGAS_EXIT);
	} else {
		db_vegas_go(v, DB_PACE_SLOW_START, DB_VEGAS_SLOW_START);
	}
}

/* The end of a round in congestion avoidance. */
static DB_INLINE void db_vegas_judge(struct db_vegas *v, const struct db_vegas_config *config,
				     const struct db_diff *diff)
{
	if (db_diff_above(diff, config->beta)) {
		db_vegas_set_cwnd(v, config, db_sub(v->growth.cwnd, DB_SEGMENT));
		db_vegas_go(v, DB_PACE_HOLD, DB_VEGAS_DECREASE);
	} else if (db_diff_below(diff, config->alpha)) {
		v->increment = db_reciprocal(v->growth.cwnd);
		db_vegas_go(v, DB_PACE_LINEAR, DB_VEGAS_INCREASE);
	} else {
		db_vegas_go(v, DB_PACE_HOLD, DB_VEGAS_HOLD);
	}
}

static DB_INLINE void db_vegas_close_round(struct db_vegas *v,
					   const struct db_vegas_config *config, db_u64 now)
{
	struct db_diff diff = db_vegas_diff(v, config);

	if (db_is_slow_start(&v->growth))
		db_vegas_judge_slow_start(v, config, &diff);
	else
		db_vegas_judge(v, config, &diff);
	v->loss = DB_VEGAS_NO_LOSS;
	db_vegas_begin_round(v, now);
}

/*
 * An RTT: `least` updates BaseRTT, the minimum; `compared` is compared with it for diff, if the
 * ACK counts for the round's mean.
 */
static DB_INLINE void db_vegas_observe(struct db_vegas *v, const struct db_sample *sample,
				       db_u64 least, int takes_part, db_u64 compared)
{
	v->base = db_base_rtt(v->base, least);
	if (takes_part && v->samples < DB_VEGAS_MOST) {
		v->sum += db_bounded(compared);
		v->samples += 1;
	}
	if (db_ends_round(v->began, sample->now, sample->rtt))
		v->round_over = 1;
}

/* Every ACK. */
static DB_INLINE void db_vegas_on_sample(struct db_vegas *v, const struct db_vegas_config *config,
					 const struct db_sample *sample)
{
	(void)config;
	if (db_has_rtt_of_new_data(sample))
		db_vegas_observe(v, sample, sample->rtt, 1, sample->rtt);
}

/* New data outside recovery. */
static DB_INLINE void db_vegas_on_ack(struct db_vegas *v, const struct db_vegas_config *config,
				      const struct db_ack *ack)
{
	db_u64 unused;

	if (v->round_over)
		db_vegas_close_round(v, config, ack->now);
	unused = db_sub(v->growth.cwnd, db_add(ack->in_flight, ack->acked));
	if (v->pace == DB_PACE_HOLD || ack->app_limited || unused > (db_u64)config->slack << 32)
		return;
	if (v->pace == DB_PACE_LINEAR)
		db_set_cwnd(&v->growth, db_add(v->growth.cwnd, v->increment));
	else if (db_is_slow_start(&v->growth))
		db_accelerate(&v->growth, &config->growth, ack->acked);
	else
		db_vegas_go(v, DB_PACE_HOLD, DB_VEGAS_STOP);
}

/* A segment was lost; it counts only if it was sent after the last cut. */
static DB_INLINE void db_vegas_on_loss(struct db_vegas *v, const struct db_vegas_config *config,
				       const struct db_loss *loss)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, loss->in_flight);
	int again = loss->transmissions > 1;

	if (v->has_cut && loss->lost_sent_at <= v->last_cut) {
		v->loss = DB_VEGAS_OLD;
		return;
	}
	db_vegas_set_cwnd(v, config,
			  db_scaled(window, again ? config->factor_again : config->factor_first));
	db_set_ssthresh(&v->growth, &config->growth, db_min(v->growth.ssthresh, v->growth.cwnd));
	v->last_cut = loss->now;
	v->has_cut = 1;
	v->loss = again ? DB_VEGAS_AGAIN : DB_VEGAS_FIRST;
}

/* The retransmission timer fired. */
static DB_INLINE void db_vegas_on_timeout(struct db_vegas *v, const struct db_vegas_config *config,
					  const struct db_timeout *timeout)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, timeout->in_flight);

	db_time_out(&v->growth, &config->growth, db_scaled(window, config->factor_timeout),
		    timeout);
	db_set_cwnd(&v->growth, (db_u64)config->timeout_cwnd << 32);
	v->grows = 1;
	db_vegas_go(v, DB_PACE_SLOW_START, DB_VEGAS_START);
	db_vegas_begin_round(v, timeout->now);
	v->last_cut = timeout->now;
	v->has_cut = 1;
	v->loss = v->growth.step == DB_STEP_REPEATED_TIMEOUT ? DB_VEGAS_REPEATED_TIMEOUT :
							       DB_VEGAS_TIMEOUT;
}

#endif
