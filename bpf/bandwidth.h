/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Bandwidth estimates, in bytes/s << 16: from the spacing of ACKs, per round, and from the spacing
 * of data at the receiver. The twin of the Rust modules `estimate::{bandwidth, per_round, sarbe,
 * throughput}` of dumbbell-control.
 */
#ifndef DUMBBELL_BANDWIDTH_H
#define DUMBBELL_BANDWIDTH_H

#include "dumbbell.h"
#include "estimate.h"
#include "filter.h"

/* The filter of ACK spacing. */
enum { DB_FILTER_TUSTIN, DB_FILTER_CONSTANT, DB_FILTER_EWMA };

/* The filter of rounds: one moving average, or two in a row. */
enum { DB_ROUNDS_EWMA, DB_ROUNDS_CASCADE };

/* The largest number of zero samples in a silence. */
#define DB_SILENCE_BOUND 255

/* Spacing of ACKs: the parameters, and the values that db_tune derives from them. */
struct db_bandwidth_config {
	db_u64 tau;
	db_u64 merge;
	db_u32 m;
	db_u32 constant_k;
	db_u32 gain;
	db_u8 max_virtual;
	db_u8 filter;
	/* by db_tune: twice tau, the spacing of the zero samples, the silence that gets one more */
	db_u32 two_tau;
	db_u32 step;
	db_u32 threshold;
};

struct db_bandwidth {
	db_u64 bwe;
	/* the previous sample */
	db_u64 previous;
	/* the end of the last interval */
	db_u64 last;
	/* bytes of ACKs without a spacing */
	db_u32 carried;
	/* zero samples in this silence */
	db_u8 silent;
	db_u8 started;
	db_u8 sampled;
};

struct db_per_round_config {
	db_u64 min_round;
	db_u32 gain;
	db_u32 cascade_gain;
	db_u8 filter;
};

struct db_per_round {
	db_u64 began;
	/* bytes acknowledged in this round */
	db_u64 bytes;
	/* the two averages; with EWMA both are the same */
	db_u64 first;
	db_u64 bwe;
	db_u8 started;
	db_u8 sampled;
};

/* Spacing at the receiver; the rest of the state is in struct db_instabilities. */
struct db_arrivals {
	struct db_stability filter;
	/* the last arrival */
	db_u64 last;
	/* bytes of ACKs without a spacing */
	db_u32 carried;
	db_u8 started;
	db_u8 sampled;
};

/* floor(bytes * 10^9 * 2^16 / span), at most DB_RATE_CAP; the cap for a span of zero */
static DB_INLINE db_u64 db_rate(db_u64 bytes, db_u64 span)
{
	return db_min(db_wide_quotient(db_mul64(bytes, (db_u64)DB_SECOND << 16), span),
		      DB_RATE_CAP);
}

/*
 * The window that fills a path: floor(rate * rtt / mss) in segments << 32, at most
 * DB_CWND_CAP. For an RTT of at most 2^37 ns.
 */
static DB_INLINE db_u64 db_path_window(db_u64 rate, db_u64 rtt, db_u32 mss)
{
	struct db_u128 n = db_shl128(db_mul64(rate, rtt), 16);

	n = db_div128by32(n, DB_SECOND);
	n = db_div128by32(n, (db_u32)db_max(mss, 1));
	return n.hi ? DB_CWND_CAP : db_min(n.lo, DB_CWND_CAP);
}

/* floor(cwnd * mss / RTT), at most DB_RATE_CAP; the RTT in eighths of a nanosecond, not 0 */
static DB_INLINE db_u64 db_throughput(db_u64 cwnd, db_u32 mss, db_u64 eighths)
{
	/* 8 * 10^9 / 2^16 = 5^9 / 2^4 */
	struct db_u128 n = db_mul64(db_min(cwnd, DB_CWND_CAP), (db_u64)mss * 1953125);

	n.lo = (n.lo >> 4) | (n.hi << 60);
	n.hi >>= 4;
	return db_min(db_wide_quotient(n, eighths), DB_RATE_CAP);
}

/* Must be called after the parameters are set. */
static DB_INLINE void db_tune(struct db_bandwidth_config *config)
{
	db_u64 tau = db_min(config->tau, 0xffffffffULL);
	db_u64 merge = db_clamp(config->merge, 1, 0xffffffffULL);
	db_u64 step = db_max(tau / db_max(config->m, 1), 1);

	config->two_tau = (db_u32)db_min(tau * 2, 0xffffffffULL);
	config->step = (db_u32)step;
	config->threshold = (db_u32)db_min(step + merge, 0xffffffffULL);
}

static DB_INLINE void db_bandwidth_init(struct db_bandwidth *b)
{
	b->bwe = 0;
	b->previous = 0;
	b->last = 0;
	b->carried = 0;
	b->silent = 0;
	b->started = 0;
	b->sampled = 0;
}

/* Keeps bytes for the next sample. */
static DB_INLINE db_u32 db_carry(db_u32 carried, db_u32 bytes)
{
	return (db_u32)db_min((db_u64)carried + bytes, 0xffffffffULL);
}

/*
 * Returns a rate after `times` zero samples, at most DB_SILENCE_BOUND: each gives
 * floor(bwe * kept / whole), for kept <= whole. The kernel's verifier walks through all
 * iterations of a loop, and separately through each branch in it. So this loop does not
 * branch, and its superfluous iterations change nothing.
 */
static DB_INLINE db_u64 db_decay(db_u64 bwe, db_u32 kept, db_u32 whole, db_u32 times)
{
	db_u64 divisor = db_max(whole, 1);
	int i;

	for (i = 0; i < DB_SILENCE_BOUND; i++) {
		struct db_u128 n = db_mul64(bwe, kept);
		db_u64 upper = (n.hi << 32) | (n.lo >> 32);
		db_u64 lower = ((upper % divisor) << 32) | (n.lo & 0xffffffffULL);
		db_u64 next = ((upper / divisor) << 32) | (lower / divisor);
		db_u64 wanted = (db_u64)i - times;

		/* 1 for i < times */
		DB_OPAQUE(wanted);
		wanted >>= 63;
		DB_OPAQUE(wanted);
		bwe = next * wanted + bwe * (wanted ^ 1);
	}
	return bwe;
}

/*
 * Feeds zero samples until less than threshold of the gap is left, and returns the rest. A
 * silence has at most max_virtual of them; with the last one the estimate becomes zero.
 */
static DB_INLINE db_u64 db_feed_silence(struct db_bandwidth *b,
					const struct db_bandwidth_config *config, db_u64 gap,
					db_u32 threshold)
{
	db_u64 step = db_max(config->step, 1), due, bwe;
	db_u32 d = (db_u32)db_min(config->step, config->two_tau);
	db_u32 whole = (db_u32)db_min((db_u64)config->two_tau + d, 0xffffffffULL);
	db_u32 fed;

	if (gap < threshold)
		return gap;
	due = (gap - threshold) / step + 1;
	fed = (db_u32)db_min(due, db_sub(config->max_virtual, b->silent));
	if (fed > 0) {
		bwe = db_tustin(b->bwe, b->previous, 0, config->two_tau, d);
		bwe = db_decay(bwe, config->two_tau - d, whole, fed - 1);
		b->silent = (db_u8)(b->silent + fed);
		b->bwe = b->silent == config->max_virtual ? 0 : bwe;
		b->previous = 0;
	}
	return gap - due * step;
}

/*
 * Takes bytes that left the network at `now`; the first call only starts the clock. Returns
 * whether there was a sample.
 */
static DB_INLINE int db_observe_spacing(struct db_bandwidth *b,
					const struct db_bandwidth_config *config, db_u64 now,
					db_u32 bytes)
{
	db_u64 gap, sample;

	if (!b->started) {
		db_bandwidth_init(b);
		b->started = 1;
		b->last = now;
		return 0;
	}
	b->carried = db_carry(b->carried, bytes);
	gap = db_sub(now, b->last);
	if (gap == 0)
		return 0;
	if (gap >= config->threshold && config->filter == DB_FILTER_TUSTIN)
		gap = db_feed_silence(b, config, gap, config->threshold);
	sample = db_rate(b->carried, gap);
	if (config->filter == DB_FILTER_TUSTIN)
		b->bwe = db_tustin(b->bwe, b->previous, sample, config->two_tau, (db_u32)gap);
	else if (config->filter == DB_FILTER_CONSTANT)
		b->bwe = db_tustin_constant(b->bwe, b->previous, sample, config->constant_k);
	else
		b->bwe = b->sampled ? db_ewma(b->bwe, sample, config->gain) : sample;
	b->previous = sample;
	b->last = now;
	b->carried = 0;
	b->silent = 0;
	b->sampled = 1;
	return 1;
}

/* Feeds the zero samples that are due, without an ACK. */
static DB_INLINE void db_pass_silence(struct db_bandwidth *b,
				      const struct db_bandwidth_config *config, db_u64 now)
{
	db_u64 gap, rest;

	if (!b->started || config->filter != DB_FILTER_TUSTIN)
		return;
	gap = db_sub(now, b->last);
	rest = db_feed_silence(b, config, gap, config->step);
	if (rest < gap)
		b->last = db_sub(now, rest);
}

static DB_INLINE void db_per_round_init(struct db_per_round *b)
{
	b->began = 0;
	b->bytes = 0;
	b->first = 0;
	b->bwe = 0;
	b->started = 0;
	b->sampled = 0;
}

/* Takes bytes that left the network at `now`; has_rtt: with the RTT of an ACK of new data. */
static DB_INLINE void db_observe_by_round(struct db_per_round *b,
					  const struct db_per_round_config *config, db_u64 now,
					  int has_rtt, db_u64 rtt, db_u32 bytes)
{
	db_u64 length, sample;

	if (!b->started) {
		b->started = 1;
		b->began = now;
		b->bytes = 0;
		return;
	}
	b->bytes = db_add(b->bytes, bytes);
	length = db_sub(now, b->began);
	if (!has_rtt || !db_ends_round(b->began, now, rtt) || length < config->min_round ||
	    length == 0)
		return;
	sample = db_rate(b->bytes, length);
	if (!b->sampled) {
		b->first = sample;
		b->bwe = sample;
	} else if (config->filter == DB_ROUNDS_CASCADE) {
		b->first = db_ewma(b->first, sample, config->cascade_gain);
		b->bwe = db_ewma(b->bwe, b->first, config->cascade_gain);
	} else {
		b->bwe = db_ewma(b->bwe, sample, config->gain);
		b->first = b->bwe;
	}
	b->sampled = 1;
	b->began = now;
	b->bytes = 0;
}

static DB_INLINE void db_arrivals_init(struct db_arrivals *b, struct db_instabilities *known)
{
	db_stability_begin(&b->filter, known, 0);
	b->last = 0;
	b->carried = 0;
	b->started = 0;
	b->sampled = 0;
}

/*
 * Takes the bytes of an ACK whose trigger reached the receiver at `arrival`, if that is known.
 * If it is not later than the last arrival, the bytes count with the next ACK. The first call
 * only starts the clock.
 */
static DB_INLINE void db_observe_arrival(struct db_arrivals *b, struct db_instabilities *known,
					 db_u32 gain, db_u8 window, int has_arrival,
					 db_u64 arrival, db_u32 bytes)
{
	db_u64 sample;

	if (!b->started) {
		b->started = has_arrival != 0;
		b->last = has_arrival ? arrival : 0;
		return;
	}
	b->carried = db_carry(b->carried, bytes);
	if (!has_arrival || arrival <= b->last)
		return;
	sample = db_rate(b->carried, arrival - b->last);
	if (b->sampled)
		db_stability_step(&b->filter, known, sample, gain, window);
	else
		db_stability_begin(&b->filter, known, sample);
	b->sampled = 1;
	b->last = arrival;
	b->carried = 0;
}

#endif
