/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Low-pass filters of bandwidth samples, in bytes/s << 16: the twin of the Rust modules
 * `filter::{ewma, stability, tustin}` of dumbbell-control.
 */
#ifndef DUMBBELL_FILTER_H
#define DUMBBELL_FILTER_H

#include "dumbbell.h"

/* The largest number of instabilities that are compared. */
#define DB_STABILITY_MOST 16

/* The stability filter after its first sample, without its past. */
struct db_stability {
	db_u64 estimate;
	/* the previous sample */
	db_u64 previous;
	db_u8 next;
};

/* The last instabilities, in a ring; zero for those that do not exist yet. */
struct db_instabilities {
	db_u64 past[DB_STABILITY_MOST];
};

/*
 * One step of Tustin's filter over d nanoseconds, d <= two_tau and two_tau + d < 2^32:
 * floor((bwe * (two_tau - d) + (sample + previous) * d) / (two_tau + d))
 */
static DB_INLINE db_u64 db_tustin(db_u64 bwe, db_u64 previous, db_u64 sample,
				  db_u32 two_tau, db_u32 d)
{
	db_u64 divisor;

	d = (db_u32)db_min(d, two_tau);
	divisor = db_min((db_u64)two_tau + d, 0xffffffffULL);
	return db_min(db_muladd_div(bwe, two_tau - d, db_add(sample, previous), d,
				    (db_u32)divisor),
		      DB_RATE_CAP);
}

/* Tustin's filter with the spacing tau / k. */
static DB_INLINE db_u64 db_tustin_constant(db_u64 bwe, db_u64 previous, db_u64 sample, db_u32 k)
{
	return db_tustin(bwe, previous, sample, (db_u32)db_min((db_u64)k * 2, 0xffffffffULL), 1);
}

/* A moving average: floor(past * (1 - gain) + sample * gain), the gain in millionths. */
static DB_INLINE db_u64 db_ewma(db_u64 past, db_u64 sample, db_u32 gain)
{
	gain = (db_u32)db_min(gain, DB_RATIO_ONE);
	return db_muladd_div(past, DB_RATIO_ONE - gain, sample, gain, DB_RATIO_ONE);
}

static DB_INLINE db_u64 db_distance(db_u64 a, db_u64 b)
{
	return a > b ? a - b : b - a;
}

static DB_INLINE void db_stability_begin(struct db_stability *f, struct db_instabilities *known,
					 db_u64 sample)
{
	int i;

	f->estimate = sample;
	f->previous = sample;
	f->next = 1;
	for (i = 0; i < DB_STABILITY_MOST; i++)
		known->past[i] = 0;
}

/* The largest instability of the window. */
static DB_INLINE db_u64 db_greatest(const struct db_instabilities *known, db_u32 window)
{
	db_u64 most = 0;
	db_u32 i;

	for (i = 0; i < DB_STABILITY_MOST; i++)
		if (i < window)
			most = db_max(most, known->past[i]);
	return most;
}

/*
 * One step: U = floor(gain U + (1 - gain) |B - B_prev|); U and the largest of the window
 * are shifted right until the largest fits into 32 bits; the estimate moves towards B by
 * floor(|B - e| (Umax - U) / Umax).
 */
static DB_INLINE void db_stability_step(struct db_stability *f, struct db_instabilities *known,
					db_u64 sample, db_u32 gain, db_u8 window)
{
	db_u32 most = (db_u32)db_clamp(window, 1, DB_STABILITY_MOST);
	db_u32 last = (db_u32)db_clamp(f->next, 1, most) - 1;
	db_u32 place = f->next % most, excess;
	db_u64 now, greatest, way;

	/* both are below 16, which the kernel's verifier sees only by the masks */
	DB_OPAQUE(last);
	DB_OPAQUE(place);
	now = db_ewma(db_distance(sample, f->previous),
		      known->past[last & (DB_STABILITY_MOST - 1)], gain);
	known->past[place & (DB_STABILITY_MOST - 1)] = now;
	f->next = (db_u8)(place + 1);
	f->previous = sample;
	greatest = db_greatest(known, most);
	if (greatest == 0) {
		f->estimate = sample;
		return;
	}
	excess = (db_u32)db_sub(32, db_leading_zeros(greatest));
	now >>= excess & 63;
	greatest >>= excess & 63;
	way = db_muldiv(db_distance(sample, f->estimate), (db_u32)(greatest - now),
			(db_u32)greatest);
	if (sample > f->estimate)
		f->estimate += way;
	else
		f->estimate -= way;
}

#endif
