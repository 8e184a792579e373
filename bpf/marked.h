/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The smoothed fraction of marked segments, DCTCP.Alpha (RFC 8257, section 3.3): the twin of the Rust module
 * `estimate::marked` of dumbbell-control. Fractions have 30 fraction bits.
 */
#ifndef DUMBBELL_MARKED_H
#define DUMBBELL_MARKED_H

#include "dumbbell.h"
#include "estimate.h"
#include "event.h"

#define DB_FRACTION_ONE (1U << 30)
/* Bits of a window that do not count, so that a quotient of two windows fits into 64 bits. */
#define DB_MARKED_DROPPED 20

struct db_marked {
	/* delivered and marked in the observation window so far */
	db_u64 credited;
	db_u64 marked;
	db_u64 began;
	db_u32 alpha;
};

static DB_INLINE void db_marked_init(struct db_marked *m, db_u32 alpha)
{
	m->credited = 0;
	m->marked = 0;
	m->began = 0;
	m->alpha = (db_u32)db_min(db_muldiv(DB_FRACTION_ONE, alpha, DB_RATIO_ONE), DB_FRACTION_ONE);
}

/* Counts what an ACK reports. An echo without a count means that all of it was marked. */
static DB_INLINE void db_count_marks(struct db_marked *m, const struct db_sample *sample)
{
	db_u64 marked = 0;

	if (sample->marks == DB_MARKS_ECHOED)
		marked = sample->credited;
	else if (sample->marks == DB_MARKS_COUNTED)
		marked = db_min(sample->marked, sample->credited);
	m->credited = db_min(db_add(m->credited, sample->credited), DB_CWND_CAP);
	m->marked = db_min(db_add(m->marked, marked), DB_CWND_CAP);
}

/* Whether a segment that was sent since the observation window began is acknowledged. */
static DB_INLINE int db_is_marking_over(const struct db_marked *m, const struct db_sample *sample)
{
	return db_has_rtt_of_new_data(sample) && db_ends_round(m->began, sample->now, sample->rtt);
}

/* floor(2^30 * a / b), at most one; a is at most 2^34 */
static DB_INLINE db_u32 db_fraction(db_u64 a, db_u64 b)
{
	if (a >= b)
		return DB_FRACTION_ONE;
	return (db_u32)((a << 30) / b);
}

/* Ends the observation window. Nothing delivered leaves alpha. */
static DB_INLINE void db_update_marked(struct db_marked *m, db_u32 gain, db_u64 now)
{
	db_u64 credited = m->credited >> DB_MARKED_DROPPED;
	db_u32 weight = (db_u32)db_min(gain, DB_RATIO_ONE);

	if (credited > 0) {
		db_u32 level = db_fraction(m->marked >> DB_MARKED_DROPPED, credited);

		m->alpha = (db_u32)db_muladd_div(m->alpha, DB_RATIO_ONE - weight, level, weight,
						 DB_RATIO_ONE);
	}
	m->credited = 0;
	m->marked = 0;
	m->began = now;
}

/* A window without half of the fraction: floor(window * (1 - alpha / 2)) */
static DB_INLINE db_u64 db_without_half(db_u64 window, db_u32 alpha)
{
	return db_muldiv(window, (1U << 31) - alpha, 1U << 31);
}

#endif
