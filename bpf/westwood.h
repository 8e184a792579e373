/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Westwood: after a loss, the window is the estimated bandwidth times the smallest RTT. Mascolo,
 * Casetti, Gerla, Sanadidi and Wang, "TCP Westwood: Bandwidth Estimation for Enhanced Transport
 * over Wireless Links", MobiCom 2001.
 *
 * The twin of the Rust module `algorithm::westwood` of dumbbell-control: the same events give the
 * same state, bit for bit. That module documents the rules, their interpretation and their
 * sources. Everything is implemented: all parameters, all filters. The rule that was applied last
 * is growth.step.
 */
#ifndef DUMBBELL_WESTWOOD_H
#define DUMBBELL_WESTWOOD_H

#include "bandwidth.h"
#include "dumbbell.h"
#include "estimate.h"
#include "event.h"
#include "growth.h"

struct db_westwood_config {
	struct db_rules growth;
	/* after db_tune */
	struct db_bandwidth_config bandwidth;
	/* segments that one ACK may add to a sample */
	db_u64 credit_cap;
	/* RTTmin is a multiple of it; 0: exact */
	db_u64 tick;
	/* whether a cut truncates the threshold to whole segments */
	db_u8 whole_ssthresh;
};

struct db_westwood {
	struct db_growth growth;
	db_u64 rtt_min;
	struct db_bandwidth bandwidth;
	db_u32 mss;
};

/* The kernel's memory for a socket's congestion control has 104 bytes. */
_Static_assert(sizeof(struct db_westwood) <= 104,
	       "Westwood's state fits the kernel's 104 bytes");

static DB_INLINE void db_westwood_init(struct db_westwood *v,
		const struct db_westwood_config *config, const struct db_path *path)
{
	(void)config;
	db_growth_init(&v->growth, path);
	db_bandwidth_init(&v->bandwidth);
	v->rtt_min = 0;
	v->mss = (db_u32)db_max(path->mss, 1);
}

/* RTTmin, in whole ticks if there is a tick, at least one; 0 while it is unknown. */
static DB_INLINE db_u64 db_westwood_path_rtt(const struct db_westwood *v,
		const struct db_westwood_config *config)
{
	if (config->tick == 0 || v->rtt_min == 0)
		return v->rtt_min;
	return db_max(v->rtt_min / config->tick, 1) * config->tick;
}

/* The window that fills the path; 0 while the path is unknown. */
static DB_INLINE db_u64 db_westwood_target(const struct db_westwood *v,
		const struct db_westwood_config *config)
{
	db_u64 rate = v->bandwidth.sampled ? v->bandwidth.bwe : 0;
	db_u64 window = db_path_window(rate, db_westwood_path_rtt(v, config), v->mss);

	return config->whole_ssthresh ? window >> 32 << 32 : window;
}

/* Every ACK. */
static DB_INLINE void db_westwood_on_sample(struct db_westwood *v,
		const struct db_westwood_config *config, const struct db_sample *sample)
{
	if (db_has_rtt_of_new_data(sample))
		v->rtt_min = db_base_rtt(v->rtt_min, sample->rtt);
	db_observe_spacing(&v->bandwidth, &config->bandwidth, sample->now,
			   db_bytes(db_min(sample->credited, config->credit_cap), v->mss));
}

/* New data outside recovery. */
static DB_INLINE void db_westwood_on_ack(struct db_westwood *v,
		const struct db_westwood_config *config, const struct db_ack *ack)
{
	db_grow(&v->growth, &config->growth, ack);
}

/* A loss episode begins. */
static DB_INLINE void db_westwood_on_loss(struct db_westwood *v,
		const struct db_westwood_config *config, const struct db_loss *loss)
{
	(void)loss;
	db_limit(&v->growth, &config->growth, db_westwood_target(v, config));
}

/* The retransmission timer fired. */
static DB_INLINE void db_westwood_on_timeout(struct db_westwood *v,
		const struct db_westwood_config *config, const struct db_timeout *timeout)
{
	db_pass_silence(&v->bandwidth, &config->bandwidth, timeout->now);
	db_restart(&v->growth, &config->growth, db_westwood_target(v, config), timeout->in_flight);
}

#endif
