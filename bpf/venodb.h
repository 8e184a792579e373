/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * VenoDB: Veno that also tests whether delay and bandwidth are rising or falling. "Enhancement of
 * TCP congestion control based on relative delay and bandwidth estimation" (TCP VenoDB), section
 * 3.
 *
 * The twin of the Rust module `algorithm::venodb` of dumbbell-control: the same events give the
 * same state, bit for bit. That module documents the rules, their interpretation and their
 * sources. Everything is implemented: all parameters, all modes. The kernel's 104 bytes are full;
 * the past of the bandwidth, and state that only some modes need, are in a second struct, for a
 * map.
 */
#ifndef DUMBBELL_VENODB_H
#define DUMBBELL_VENODB_H

#include "bandwidth.h"
#include "dumbbell.h"
#include "estimate.h"
#include "event.h"
#include "growth.h"
#include "trend.h"

/* The rule for overlaps of the printed states. */
enum { DB_PRECEDENCE_ORDERED, DB_PRECEDENCE_SCORE, DB_PRECEDENCE_LITERAL };

/* The bandwidth that is compared with its past: by ACKs, or cwnd / RTT. */
enum { DB_SOURCE_ACKS, DB_SOURCE_THROUGHPUT };

/* The arrival times that D compares. */
enum { DB_STAMPS_RECEIVER, DB_STAMPS_ACK };

/* The spacing of bandwidth samples. */
enum { DB_SPACING_ACK, DB_SPACING_RECV };

/* The rule that was applied last. */
enum {
	DB_VENODB_NONE,
	DB_VENODB_SLOW_START,
	DB_VENODB_FREE_EASING,	/* N < beta, dD < 0 */
	DB_VENODB_FREE,		/* N < beta, dD >= 0 */
	DB_VENODB_S1,		/* N >= beta: D < 0 or the bandwidth rises */
	DB_VENODB_S2_EASING,	/* D = 0 or the bandwidth is equal; dD < 0 */
	DB_VENODB_S2,		/* dD >= 0 */
	DB_VENODB_S3_EASING,	/* D > 0 or the bandwidth falls; dD <= 0 */
	DB_VENODB_S3,		/* dD > 0 */
	DB_VENODB_OVERLAP,	/* all matching states */
	DB_VENODB_RANDOM,	/* a loss at N < beta */
	DB_VENODB_EASING,	/* at N >= beta, D < 0 */
	DB_VENODB_CONGESTION,	/* at N >= beta, D >= 0 */
	DB_VENODB_TIMEOUT,
};

struct db_venodb_config {
	struct db_rules growth;
	/* after db_tune */
	struct db_bandwidth_config bandwidth;
	db_u64 beta;
	db_u64 eps_d;
	/* segments that one ACK may add to a bandwidth sample */
	db_u64 credit_cap;
	db_u32 factor_random;
	db_u32 factor_easing;
	db_u32 factor_congestion;
	db_u32 eps_bw;
	/* quarters of a segment per RTT */
	db_u8 gain_free_easing;
	db_u8 gain_free;
	db_u8 gain_s1;
	db_u8 gain_s2_easing;
	db_u8 gain_s2;
	db_u8 gain_s3_easing;
	db_u8 gain_s3;
	db_u8 precedence;
	db_u8 d_mode;
	db_u8 history_parts;
	db_u8 use_delay;
	db_u8 use_bandwidth;
	db_u8 rtt_mode;
	db_u8 base_reset;
	db_u8 bw_source;
	db_u8 stamp_source;
	db_u8 bw_spacing;
};

struct db_venodb {
	struct db_growth growth;
	db_u64 rtt;
	db_u64 base;
	struct db_delay delay;
	struct db_bandwidth bandwidth;
};

struct db_venodb_past {
	struct db_history history;
	db_u64 last_rtt;
	/* of D and dD, in nanoseconds */
	db_u64 tolerance;
	/* for the RTTs by round */
	struct db_round_statistic statistic;
	/* eight times the smoothed D, for DB_DELAY_EWMA */
	db_s64 smoothed;
	/* for DB_DELAY_ROUND */
	db_u64 began;
	db_u32 mss;
	db_u8 round_over;
	db_u8 rule;
};

/* The kernel's memory for a socket's congestion control has 104 bytes; a map holds the rest. */
_Static_assert(sizeof(struct db_venodb) <= 104, "VenoDB's state fits the kernel's 104 bytes");
_Static_assert(sizeof(struct db_venodb_past) == 584, "VenoDB's past, for a map");

static DB_INLINE void db_venodb_init(struct db_venodb *v, struct db_venodb_past *past,
				     const struct db_venodb_config *config,
				     const struct db_path *path)
{
	db_growth_init(&v->growth, path);
	db_delay_init(&v->delay);
	db_bandwidth_init(&v->bandwidth);
	db_history_init(&past->history);
	db_statistic_init(&past->statistic);
	v->rtt = 0;
	v->base = 0;
	past->last_rtt = 0;
	past->tolerance = db_max(config->eps_d, path->stamp_granularity);
	past->smoothed = 0;
	past->began = 0;
	past->mss = (db_u32)db_max(path->mss, 1);
	past->round_over = 0;
	past->rule = DB_VENODB_NONE;
}

static DB_INLINE int db_venodb_is_full(const struct db_venodb *v,
				       const struct db_venodb_config *config)
{
	return db_backlog_reaches(config->beta, v->growth.cwnd, v->rtt, v->base);
}

/* The sign of D. */
static DB_INLINE int db_venodb_delay_sign(const struct db_venodb *v,
					  const struct db_venodb_past *past,
					  const struct db_venodb_config *config)
{
	return config->use_delay ? db_sign(v->delay.d, past->tolerance) : 0;
}

/* The sign of the bandwidth compared with that of one RTT ago. */
static DB_INLINE int db_venodb_bandwidth_sign(const struct db_venodb *v,
					      const struct db_venodb_past *past,
					      const struct db_venodb_config *config, db_u64 now)
{
	if (!v->bandwidth.sampled || !config->use_bandwidth)
		return 0;
	return db_change_since(&past->history, db_sub(now, past->last_rtt), v->bandwidth.bwe,
			       config->eps_bw);
}

/* The state of a path with N >= beta, 1 to 3, by the signs of D and of the bandwidth. */
static DB_INLINE int db_venodb_state(db_u8 precedence, int delay, int bandwidth)
{
	if (precedence == DB_PRECEDENCE_SCORE)
		return delay < bandwidth ? 1 : delay == bandwidth ? 2 : 3;
	if (delay < 0 || bandwidth > 0)
		return 1;
	return delay == 0 || bandwidth == 0 ? 2 : 3;
}

/* The gain of an ACK at N >= beta, in quarters; sets the rule to the reason. */
static DB_INLINE db_u32 db_venodb_judge_full(const struct db_venodb *v,
					     struct db_venodb_past *past,
					     const struct db_venodb_config *config, db_u64 now,
					     int trend)
{
	int delay = db_venodb_delay_sign(v, past, config);
	int bandwidth = db_venodb_bandwidth_sign(v, past, config, now);
	db_u32 s2 = trend < 0 ? config->gain_s2_easing : config->gain_s2;
	db_u32 s3 = trend > 0 ? config->gain_s3 : config->gain_s3_easing;
	int state;

	if (config->precedence == DB_PRECEDENCE_LITERAL) {
		past->rule = DB_VENODB_OVERLAP;
		return (delay < 0 || bandwidth > 0 ? config->gain_s1 : 0) +
		       (delay == 0 || bandwidth == 0 ? s2 : 0) +
		       (delay > 0 || bandwidth < 0 ? s3 : 0);
	}
	state = db_venodb_state(config->precedence, delay, bandwidth);
	if (state == 1) {
		past->rule = DB_VENODB_S1;
		return config->gain_s1;
	}
	if (state == 2) {
		past->rule = trend < 0 ? DB_VENODB_S2_EASING : DB_VENODB_S2;
		return s2;
	}
	past->rule = trend > 0 ? DB_VENODB_S3 : DB_VENODB_S3_EASING;
	return s3;
}

/* The gain of an ACK, in quarters; sets the rule to the reason. */
static DB_INLINE db_u32 db_venodb_judge(const struct db_venodb *v, struct db_venodb_past *past,
					const struct db_venodb_config *config, db_u64 now)
{
	int trend = config->use_delay ? v->delay.trend : 0;

	if (db_venodb_is_full(v, config))
		return db_venodb_judge_full(v, past, config, now, trend);
	past->rule = trend < 0 ? DB_VENODB_FREE_EASING : DB_VENODB_FREE;
	return trend < 0 ? config->gain_free_easing : config->gain_free;
}

static DB_INLINE void db_venodb_observe_rtt(struct db_venodb *v, struct db_venodb_past *past,
					    const struct db_venodb_config *config,
					    const struct db_sample *sample)
{
	if (!db_has_rtt_of_new_data(sample))
		return;
	v->base = db_base_rtt(v->base, sample->rtt);
	v->rtt = db_observe_rtt(v->rtt, &past->statistic, config->rtt_mode, sample->now,
				sample->rtt);
	past->last_rtt = sample->rtt;
	if (config->d_mode == DB_DELAY_ROUND &&
	    db_ends_round(past->began, sample->now, sample->rtt))
		past->round_over = 1;
}

static DB_INLINE void db_venodb_observe_bandwidth(struct db_venodb *v, struct db_venodb_past *past,
						  const struct db_venodb_config *config,
						  const struct db_sample *sample)
{
	db_u32 bytes = db_bytes(db_min(sample->credited, config->credit_cap), past->mss);
	db_u64 time = sample->now;

	if (config->bw_source == DB_SOURCE_THROUGHPUT) {
		if (!db_has_rtt_of_new_data(sample) || v->rtt == 0)
			return;
		v->bandwidth.bwe = db_throughput(v->growth.cwnd, past->mss, v->rtt);
		v->bandwidth.sampled = 1;
	} else {
		if (config->bw_spacing == DB_SPACING_RECV) {
			if (!sample->has_stamps) {
				v->bandwidth.carried = db_carry(v->bandwidth.carried, bytes);
				return;
			}
			time = sample->received_at;
		}
		if (!db_observe_spacing(&v->bandwidth, &config->bandwidth, time, bytes))
			return;
	}
	db_record(&past->history, sample->now, v->bandwidth.bwe, v->rtt, config->history_parts);
}

static DB_INLINE void db_venodb_observe_delay(struct db_venodb *v, struct db_venodb_past *past,
					      const struct db_venodb_config *config,
					      const struct db_sample *sample)
{
	int by_ack = config->stamp_source == DB_STAMPS_ACK;
	db_u64 sent_at = sample->sent_at;

	if (!sample->has_stamps) {
		if (!by_ack || !db_has_rtt_of_new_data(sample))
			return;
		sent_at = db_sub(sample->now, sample->rtt);
	}
	if (config->d_mode == DB_DELAY_ROUND) {
		if (!past->round_over)
			return;
		past->began = sample->now;
		past->round_over = 0;
	}
	db_observe_delay(&v->delay, config->d_mode == DB_DELAY_EWMA, &past->smoothed, sent_at,
			 by_ack ? sample->now : sample->received_at, past->tolerance);
}

/* Every ACK. */
static DB_INLINE void db_venodb_on_sample(struct db_venodb *v, struct db_venodb_past *past,
					  const struct db_venodb_config *config,
					  const struct db_sample *sample)
{
	db_venodb_observe_rtt(v, past, config, sample);
	db_venodb_observe_bandwidth(v, past, config, sample);
	db_venodb_observe_delay(v, past, config, sample);
}

/* New data outside recovery. */
static DB_INLINE void db_venodb_on_ack(struct db_venodb *v, struct db_venodb_past *past,
				       const struct db_venodb_config *config,
				       const struct db_ack *ack)
{
	if (ack->app_limited)
		return;
	if (db_is_slow_start(&v->growth)) {
		db_accelerate(&v->growth, &config->growth, ack->acked);
		past->rule = DB_VENODB_SLOW_START;
	} else {
		db_avoid_by(&v->growth, &config->growth, ack->acked,
			    db_venodb_judge(v, past, config, ack->now));
	}
}

/* A loss episode begins. */
static DB_INLINE void db_venodb_on_loss(struct db_venodb *v, struct db_venodb_past *past,
					const struct db_venodb_config *config,
					const struct db_loss *loss)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, loss->in_flight);
	db_u32 factor = config->factor_congestion;

	past->rule = DB_VENODB_CONGESTION;
	if (!db_venodb_is_full(v, config)) {
		factor = config->factor_random;
		past->rule = DB_VENODB_RANDOM;
	} else if (db_venodb_delay_sign(v, past, config) < 0) {
		factor = config->factor_easing;
		past->rule = DB_VENODB_EASING;
	}
	db_cut(&v->growth, &config->growth, db_scaled(window, factor));
	v->base = db_base_after_loss(v->base, config->base_reset);
}

/* The retransmission timer fired. */
static DB_INLINE void db_venodb_on_timeout(struct db_venodb *v, struct db_venodb_past *past,
					   const struct db_venodb_config *config,
					   const struct db_timeout *timeout)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, timeout->in_flight);

	if (config->bw_spacing == DB_SPACING_ACK)
		db_pass_silence(&v->bandwidth, &config->bandwidth, timeout->now);
	db_time_out(&v->growth, &config->growth, db_scaled(window, config->factor_congestion),
		    timeout);
	v->base = db_base_after_loss(v->base, config->base_reset);
	past->rule = DB_VENODB_TIMEOUT;
}

#endif
