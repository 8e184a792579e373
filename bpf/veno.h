/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Veno: Reno that tests, at a loss, whether a queue had built up. Fu and Liew, "TCP Veno: TCP
 * Enhancement for Transmission Over Wireless Access Networks", IEEE JSAC 21(2), 2003.
 *
 * The twin of the Rust module `algorithm::veno` of dumbbell-control: the same events give the same
 * state, bit for bit. That module documents the rules, their interpretation and their sources.
 * Everything is implemented: all parameters, all modes.
 */
#ifndef DUMBBELL_VENO_H
#define DUMBBELL_VENO_H

#include "dumbbell.h"
#include "estimate.h"
#include "event.h"
#include "growth.h"

/* How a window grows at N >= beta: by 1/cwnd on every other ACK, or by half of that on each ACK. */
enum { DB_BUSY_ALTERNATE, DB_BUSY_HALF };

/* The rule that was applied last. */
enum {
	DB_VENO_NONE,
	DB_VENO_SLOW_START,
	DB_VENO_FREE,		/* N < beta: growth */
	DB_VENO_BUSY_GROW,	/* N >= beta: growth with this ACK */
	DB_VENO_BUSY_HOLD,	/* N >= beta: no growth with this ACK */
	DB_VENO_BUSY_HALF,	/* N >= beta: half the growth with each ACK */
	DB_VENO_RANDOM,		/* N < beta: random loss */
	DB_VENO_CONGESTION,	/* N >= beta: congestion loss */
	DB_VENO_TIMEOUT,
};

struct db_veno_config {
	struct db_rules growth;
	db_u8 rtt_mode;
	db_u8 base_reset;
	db_u8 busy_growth;
	db_u32 factor_random;
	db_u32 factor_congestion;
	db_u64 beta;
};

struct db_veno {
	struct db_growth growth;
	db_u64 rtt;
	db_u64 base;
	struct db_round_statistic statistic;
	db_u8 grow_next;
	db_u8 rule;
};

/* The kernel's memory for a socket's congestion control has 104 bytes. */
_Static_assert(sizeof(struct db_veno) <= 104, "Veno's state fits the kernel's 104 bytes");

static DB_INLINE void db_veno_init(struct db_veno *v, const struct db_veno_config *config,
				   const struct db_path *path)
{
	(void)config;
	db_growth_init(&v->growth, path);
	db_statistic_init(&v->statistic);
	v->rtt = 0;
	v->base = 0;
	v->grow_next = 1;
	v->rule = DB_VENO_NONE;
}

static DB_INLINE int db_veno_is_congested(const struct db_veno *v,
					  const struct db_veno_config *config)
{
	return db_backlog_reaches(config->beta, v->growth.cwnd, v->rtt, v->base);
}

/* Every ACK. */
static DB_INLINE void db_veno_on_sample(struct db_veno *v, const struct db_veno_config *config,
					const struct db_sample *sample)
{
	if (!db_has_rtt_of_new_data(sample))
		return;
	v->base = db_base_rtt(v->base, sample->rtt);
	v->rtt = db_observe_rtt(v->rtt, &v->statistic, config->rtt_mode, sample->now,
				sample->rtt);
}

/* New data outside recovery. */
static DB_INLINE void db_veno_on_ack(struct db_veno *v, const struct db_veno_config *config,
				     const struct db_ack *ack)
{
	if (ack->app_limited)
		return;
	if (db_is_slow_start(&v->growth)) {
		db_accelerate(&v->growth, &config->growth, ack->acked);
		v->rule = DB_VENO_SLOW_START;
	} else if (!db_veno_is_congested(v, config)) {
		db_avoid(&v->growth, &config->growth, ack->acked);
		v->grow_next = 1;
		v->rule = DB_VENO_FREE;
	} else if (config->busy_growth == DB_BUSY_HALF) {
		db_avoid_by(&v->growth, &config->growth, ack->acked, 2);
		v->rule = DB_VENO_BUSY_HALF;
	} else if (v->grow_next) {
		db_avoid(&v->growth, &config->growth, ack->acked);
		v->grow_next = 0;
		v->rule = DB_VENO_BUSY_GROW;
	} else {
		v->grow_next = 1;
		v->rule = DB_VENO_BUSY_HOLD;
	}
}

/* A loss episode begins. */
static DB_INLINE void db_veno_on_loss(struct db_veno *v, const struct db_veno_config *config,
				      const struct db_loss *loss)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, loss->in_flight);

	if (db_veno_is_congested(v, config)) {
		db_cut(&v->growth, &config->growth,
		       db_scaled(window, config->factor_congestion));
		v->rule = DB_VENO_CONGESTION;
	} else {
		db_cut(&v->growth, &config->growth, db_scaled(window, config->factor_random));
		v->rule = DB_VENO_RANDOM;
	}
	v->base = db_base_after_loss(v->base, config->base_reset);
}

/* The retransmission timer fired. */
static DB_INLINE void db_veno_on_timeout(struct db_veno *v, const struct db_veno_config *config,
					 const struct db_timeout *timeout)
{
	db_u64 window = db_at_loss(&v->growth, &config->growth, timeout->in_flight);

	db_time_out(&v->growth, &config->growth, db_scaled(window, config->factor_congestion),
		    timeout);
	v->rule = DB_VENO_TIMEOUT;
	v->base = db_base_after_loss(v->base, config->base_reset);
}

#endif
