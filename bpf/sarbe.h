/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * SARBE with LDED: after a loss, the window is set from the bandwidth that the receiver's
 * timestamps give, and only if congestion had begun. Le Tuan Anh and Choong Seon Hong, "Enhanced
 * TCP with End-to-End Bandwidth and Loss Differentiation Estimate over Heterogeneous Networks",
 * ICCS 2005.
 *
 * The twin of the Rust module `algorithm::sarbe` of dumbbell-control: the same events give the
 * same state, bit for bit. That module documents the rules, their interpretation and their
 * sources. Everything is implemented. The filter's past does not fit into the kernel's 104 bytes:
 * it is a second struct, for a map.
 */
#ifndef DUMBBELL_SARBE_H
#define DUMBBELL_SARBE_H

#include "bandwidth.h"
#include "dumbbell.h"
#include "estimate.h"
#include "event.h"
#include "growth.h"

/* The rule that was applied last. */
enum {
	DB_SARBE_NONE,
	DB_SARBE_SLOW_START,
	DB_SARBE_CONGESTED_SLOW_START,	/* and the path can hold more than the window */
	DB_SARBE_CUT_SHORT,		/* and it cannot: slow start ends */
	DB_SARBE_AVOIDANCE,
	DB_SARBE_RANDOM,
	DB_SARBE_CONGESTION,
	DB_SARBE_TIMEOUT,
};

struct db_sarbe_config {
	struct db_rules growth;
	/* instabilities that are compared, 1 to DB_STABILITY_MOST */
	db_u8 stability_window;
	db_u32 stability_gain;
	db_u64 alpha;
	db_u64 beta;
};

struct db_sarbe {
	struct db_growth growth;
	db_u64 rtt;
	db_u64 rtt_min;
	struct db_arrivals bandwidth;
	db_u32 mss;
	/* congestion has begun */
	db_u8 congested;
	db_u8 rule;
};

struct db_sarbe_past {
	struct db_instabilities known;
};

/* The kernel's memory for a socket's congestion control has 104 bytes; a map holds the rest. */
_Static_assert(sizeof(struct db_sarbe) <= 104, "SARBE's state fits the kernel's 104 bytes");
_Static_assert(sizeof(struct db_sarbe_past) == 128, "SARBE's past, for a map");

static DB_INLINE void db_sarbe_init(struct db_sarbe *v, struct db_sarbe_past *past,
				    const struct db_sarbe_config *config,
				    const struct db_path *path)
{
	(void)config;
	db_growth_init(&v->growth, path);
	db_arrivals_init(&v->bandwidth, &past->known);
	v->rtt = 0;
	v->rtt_min = 0;
	v->mss = (db_u32)db_max(path->mss, 1);
	v->congested = 0;
	v->rule = DB_SARBE_NONE;
}

/* The window that fills the path; 0 while the path is unknown. */
static DB_INLINE db_u64 db_sarbe_path_window(const struct db_sarbe *v)
{
	db_u64 rate = v->bandwidth.sampled ? v->bandwidth.filter.estimate : 0;

	return db_path_window(rate, v->rtt_min, v->mss);
}

/* Every ACK. */
static DB_INLINE void db_sarbe_on_sample(struct db_sarbe *v, struct db_sarbe_past *past,
					 const struct db_sarbe_config *config,
					 const struct db_sample *sample)
{
	if (db_has_rtt_of_new_data(sample)) {
		v->rtt_min = db_base_rtt(v->rtt_min, sample->rtt);
		v->rtt = db_bounded(sample->rtt) << 3;
	}
	db_observe_arrival(&v->bandwidth, &past->known, config->stability_gain,
			   config->stability_window, sample->has_stamps, sample->received_at,
			   db_bytes(sample->credited, v->mss));
	v->congested = db_is_incipient(v->congested, config->alpha, config->beta,
				       v->growth.cwnd, v->rtt, v->rtt_min) != 0;
}

/* New data outside recovery. */
static DB_INLINE void db_sarbe_on_ack(struct db_sarbe *v, struct db_sarbe_past *past,
				      const struct db_sarbe_config *config,
				      const struct db_ack *ack)
{
	(void)past;
	if (!db_is_slow_start(&v->growth)) {
		v->rule = DB_SARBE_AVOIDANCE;
	} else if (!v->congested) {
		v->rule = DB_SARBE_SLOW_START;
	} else {
		db_set_ssthresh(&v->growth, &config->growth, db_sarbe_path_window(v));
		v->rule = db_is_slow_start(&v->growth) ? DB_SARBE_CONGESTED_SLOW_START :
							 DB_SARBE_CUT_SHORT;
	}
	db_grow(&v->growth, &config->growth, ack);
}

/* A loss episode begins. */
static DB_INLINE void db_sarbe_on_loss(struct db_sarbe *v, struct db_sarbe_past *past,
				       const struct db_sarbe_config *config,
				       const struct db_loss *loss)
{
	(void)past;
	(void)loss;
	if (v->congested) {
		db_limit(&v->growth, &config->growth, db_sarbe_path_window(v));
		v->rule = DB_SARBE_CONGESTION;
	} else {
		db_set_ssthresh(&v->growth, &config->growth, db_sarbe_path_window(v));
		v->rule = DB_SARBE_RANDOM;
	}
}

/* The retransmission timer fired. */
static DB_INLINE void db_sarbe_on_timeout(struct db_sarbe *v, struct db_sarbe_past *past,
					  const struct db_sarbe_config *config,
					  const struct db_timeout *timeout)
{
	(void)past;
	db_restart(&v->growth, &config->growth, db_sarbe_path_window(v), timeout->in_flight);
	v->rule = DB_SARBE_TIMEOUT;
}

#endif
