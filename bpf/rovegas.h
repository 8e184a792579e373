/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * RoVegas: Vegas that subtracts the time that its ACKs waited, which routers report. "Design and
 * performance evaluation of an improved TCP congestion avoidance scheme" (RoVegas), section 3.
 *
 * The twin of the Rust module `algorithm::rovegas` of dumbbell-control: the same events give the
 * same state, bit for bit. That module documents the rules, their interpretation and their
 * sources. Everything that affects decisions is implemented; the mean waiting time, which Rust
 * keeps only for display, is not.
 */
#ifndef DUMBBELL_ROVEGAS_H
#define DUMBBELL_ROVEGAS_H

#include "vegas.h"

/* Vegas' parameters. */
struct db_rovegas_config {
	struct db_vegas_config vegas;
};

struct db_rovegas {
	struct db_vegas vegas;
	/* sum of the ACKs' waiting times over the round's samples */
	db_u64 waits;
	/* the round's samples have reports */
	db_u8 reported;
};

_Static_assert(sizeof(struct db_rovegas) <= 104, "RoVegas' state fits the kernel's 104 bytes");

static DB_INLINE void db_rovegas_init(struct db_rovegas *v, const struct db_rovegas_config *config,
				      const struct db_path *path)
{
	db_vegas_init(&v->vegas, &config->vegas, path);
	v->waits = 0;
	v->reported = 0;
}

/* Every ACK. A report that is not below the RTT is invalid. */
static DB_INLINE void db_rovegas_on_sample(struct db_rovegas *v,
					   const struct db_rovegas_config *config,
					   const struct db_sample *sample)
{
	db_u64 rtt = sample->rtt;
	int report = sample->has_queueing && db_add(sample->forward, sample->backward) < rtt;

	(void)config;
	if (!db_has_rtt_of_new_data(sample))
		return;
	if (v->vegas.samples == 0 || (report && !v->reported)) {
		db_vegas_forget_samples(&v->vegas);
		v->waits = 0;
		v->reported = report != 0;
	}
	if (report) {
		v->waits = db_add(v->waits, sample->backward);
		rtt -= sample->backward;
		db_vegas_observe(&v->vegas, sample, rtt - sample->forward, 1, rtt);
	} else {
		db_vegas_observe(&v->vegas, sample, rtt, !v->reported, rtt);
	}
}

/* New data outside recovery. */
static DB_INLINE void db_rovegas_on_ack(struct db_rovegas *v,
					const struct db_rovegas_config *config,
					const struct db_ack *ack)
{
	db_vegas_on_ack(&v->vegas, &config->vegas, ack);
}

/* A segment was lost. */
static DB_INLINE void db_rovegas_on_loss(struct db_rovegas *v,
					 const struct db_rovegas_config *config,
					 const struct db_loss *loss)
{
	db_vegas_on_loss(&v->vegas, &config->vegas, loss);
}

/* The retransmission timer fired. */
static DB_INLINE void db_rovegas_on_timeout(struct db_rovegas *v,
					    const struct db_rovegas_config *config,
					    const struct db_timeout *timeout)
{
	db_vegas_on_timeout(&v->vegas, &config->vegas, timeout);
}

#endif
