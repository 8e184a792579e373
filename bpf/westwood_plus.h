/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Westwood+: Westwood with one bandwidth sample per round, which ACK compression cannot inflate.
 * Grieco and Mascolo, "Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas TCP
 * Congestion Control", ACM CCR 34(2), 2004.
 *
 * The twin of the Rust module `algorithm::westwood_plus` of dumbbell-control: the same events give
 * the same state, bit for bit. That module documents the rules, their interpretation and their
 * sources. Everything is implemented: all parameters, both filters. The rule that was applied last
 * is growth.step.
 */
#ifndef DUMBBELL_WESTWOOD_PLUS_H
#define DUMBBELL_WESTWOOD_PLUS_H

#include "bandwidth.h"
#include "dumbbell.h"
#include "estimate.h"
#include "event.h"
#include "growth.h"

struct db_westwood_plus_config {
	struct db_rules growth;
	struct db_per_round_config bandwidth;
};

struct db_westwood_plus {
	struct db_growth growth;
	db_u64 rtt_min;
	struct db_per_round bandwidth;
	db_u32 mss;
};

/* The kernel's memory for a socket's congestion control has 104 bytes. */
_Static_assert(sizeof(struct db_westwood_plus) <= 104,
	       "Westwood+'s state fits the kernel's 104 bytes");

static DB_INLINE void db_westwood_plus_init(struct db_westwood_plus *v,
		const struct db_westwood_plus_config *config, const struct db_path *path)
{
	(void)config;
	db_growth_init(&v->growth, path);
	db_per_round_init(&v->bandwidth);
	v->rtt_min = 0;
	v->mss = (db_u32)db_max(path->mss, 1);
}

/* The window that fills the path; 0 while the path is unknown. */
static DB_INLINE db_u64 db_westwood_plus_target(const struct db_westwood_plus *v)
{
	return db_path_window(v->bandwidth.sampled ? v->bandwidth.bwe : 0, v->rtt_min, v->mss);
}

/* Every ACK. */
static DB_INLINE void db_westwood_plus_on_sample(struct db_westwood_plus *v,
		const struct db_westwood_plus_config *config, const struct db_sample *sample)
{
	if (db_has_rtt_of_new_data(sample))
		v->rtt_min = db_base_rtt(v->rtt_min, sample->rtt);
	db_observe_by_round(&v->bandwidth, &config->bandwidth, sample->now,
			    db_has_rtt_of_new_data(sample), sample->rtt,
			    db_bytes(sample->credited, v->mss));
}

/* New data outside recovery. */
static DB_INLINE void db_westwood_plus_on_ack(struct db_westwood_plus *v,
		const struct db_westwood_plus_config *config, const struct db_ack *ack)
{
	db_grow(&v->growth, &config->growth, ack);
}

/* A loss episode begins. */
static DB_INLINE void db_westwood_plus_on_loss(struct db_westwood_plus *v,
		const struct db_westwood_plus_config *config, const struct db_loss *loss)
{
	(void)loss;
	db_limit(&v->growth, &config->growth, db_westwood_plus_target(v));
}

/* The retransmission timer fired. */
static DB_INLINE void db_westwood_plus_on_timeout(struct db_westwood_plus *v,
		const struct db_westwood_plus_config *config, const struct db_timeout *timeout)
{
	db_restart(&v->growth, &config->growth, db_westwood_plus_target(v), timeout->in_flight);
}

#endif
