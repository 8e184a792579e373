/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Trends: the relative delay, and the bandwidth compared with its past. The twin of the Rust
 * modules `estimate::{relative_delay, history}` of dumbbell-control. Signs are -1, 0
 * and 1.
 */
#ifndef DUMBBELL_TREND_H
#define DUMBBELL_TREND_H

#include "dumbbell.h"

/* The packets between which D is computed. */
enum { DB_DELAY_PACKET, DB_DELAY_EWMA, DB_DELAY_ROUND };

/* The limit of |D|, 2^40 ns; larger values have no meaning. */
#define DB_DELAY_MOST (1LL << 40)

#define DB_HISTORY_ENTRIES 32
/* The smallest spacing of two entries, in nanoseconds. */
#define DB_HISTORY_SPACING 1000000ULL

struct db_delay {
	/* arrival time minus sending time of the last packet, by two clocks */
	db_s64 one_way;
	db_s64 d;
	/* the sign of dD */
	db_s8 trend;
	/* 0 nothing, 1 a one-way delay, 2 D, 3 dD */
	db_u8 known;
};

/* A ring of times, and the bandwidth from each time on. */
struct db_history {
	db_u64 times[DB_HISTORY_ENTRIES];
	db_u64 rates[DB_HISTORY_ENTRIES];
	db_u8 next;
	db_u8 len;
};

static DB_INLINE void db_delay_init(struct db_delay *e)
{
	e->one_way = 0;
	e->d = 0;
	e->trend = 0;
	e->known = 0;
}

/* The sign of a difference, zero within the tolerance. */
static DB_INLINE int db_sign(db_s64 ns, db_u64 tolerance)
{
	db_u64 size = ns < 0 ? 0 - (db_u64)ns : (db_u64)ns;

	if (size <= tolerance)
		return 0;
	return ns < 0 ? -1 : 1;
}

/*
 * Takes a packet's timestamps. With smooth, D goes through a filter of gain 1/8, whose state
 * is eight times the smoothed D.
 */
static DB_INLINE void db_observe_delay(struct db_delay *e, int smooth, db_s64 *smoothed,
				       db_u64 sent_at, db_u64 received_at, db_u64 tolerance)
{
	db_s64 one_way = (db_s64)(received_at - sent_at);
	db_s64 d = (db_s64)((db_u64)one_way - (db_u64)e->one_way);

	e->one_way = one_way;
	if (e->known == 0) {
		e->known = 1;
		return;
	}
	if (d > DB_DELAY_MOST)
		d = DB_DELAY_MOST;
	else if (d < -DB_DELAY_MOST)
		d = -DB_DELAY_MOST;
	if (smooth) {
		*smoothed = e->known < 2 ? d * 8 : *smoothed + d - (*smoothed >> 3);
		d = *smoothed >> 3;
	}
	if (e->known == 1) {
		e->known = 2;
	} else {
		e->known = 3;
		e->trend = (db_s8)db_sign(d - e->d, tolerance);
	}
	e->d = d;
}

static DB_INLINE void db_history_init(struct db_history *h)
{
	int i;

	for (i = 0; i < DB_HISTORY_ENTRIES; i++) {
		h->times[i] = 0;
		h->rates[i] = 0;
	}
	h->next = 0;
	h->len = 0;
}

/* Returns the slot of the entry `back` entries before the last one. */
static DB_INLINE db_u32 db_history_slot(const struct db_history *h, db_u32 back)
{
	return (h->next - 1U - back) & (DB_HISTORY_ENTRIES - 1);
}

/* Enters rate if the last entry is max(1 ms, RTT / parts) old; the RTT in eighths, 0 if unknown. */
static DB_INLINE void db_record(struct db_history *h, db_u64 now, db_u64 rate, db_u64 eighths,
				db_u32 parts)
{
	db_u32 slot = h->next & (DB_HISTORY_ENTRIES - 1);

	if (h->len > 0) {
		db_u64 age = db_sub(now, h->times[db_history_slot(h, 0)]);
		struct db_u128 scaled = db_mul64(age, (db_u64)parts << 3);

		if (age < DB_HISTORY_SPACING || (scaled.hi == 0 && scaled.lo < eighths))
			return;
	}
	h->times[slot] = now;
	h->rates[slot] = rate;
	h->next = (db_u8)((h->next + 1) & (DB_HISTORY_ENTRIES - 1));
	h->len = (db_u8)db_min(h->len + 1, DB_HISTORY_ENTRIES);
}

/* The sign of rate compared with old: 0 within the tolerance, in millionths of old. */
static DB_INLINE int db_change(db_u64 rate, db_u64 old, db_u32 tolerance)
{
	db_u64 difference = rate > old ? rate - old : old - rate;

	if (db_product_at_least(old, tolerance, difference, DB_RATIO_ONE))
		return 0;
	return rate < old ? -1 : 1;
}

/* The same for the latest entry that is not after `then`; 0 if the history is shorter. */
static DB_INLINE int db_change_since(const struct db_history *h, db_u64 then, db_u64 rate,
				     db_u32 tolerance)
{
	db_u32 back;

	for (back = 0; back < DB_HISTORY_ENTRIES; back++) {
		db_u32 slot = db_history_slot(h, back);

		if (back >= h->len)
			break;
		if (h->times[slot] <= then)
			return db_change(rate, h->rates[slot], tolerance);
	}
	return 0;
}

#endif
