/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The state of the twins as words, in the order of the Rust trait `Snapshot`. */
#ifndef DUMBBELL_HOST_STATE_H
#define DUMBBELL_HOST_STATE_H

#include "../dctcp.h"
#include "../rovegas.h"
#include "../sarbe.h"
#include "../vegas.h"
#include "../veno.h"
#include "../venodb.h"
#include "../westwood.h"
#include "../westwood_plus.h"

static inline db_u64 *put_growth(db_u64 *w, const struct db_growth *g)
{
	*w++ = g->cwnd;
	*w++ = g->ssthresh;
	*w++ = g->credit;
	*w++ = g->repairing;
	*w++ = g->step;
	return w;
}

static inline db_u64 *put_statistic(db_u64 *w, const struct db_round_statistic *s)
{
	*w++ = s->began;
	*w++ = s->gathered;
	*w++ = s->count;
	return w;
}

static inline db_u64 *put_bandwidth(db_u64 *w, const struct db_bandwidth *b)
{
	*w++ = b->bwe;
	*w++ = b->previous;
	*w++ = b->last;
	*w++ = b->carried;
	*w++ = b->silent;
	*w++ = b->started;
	*w++ = b->sampled;
	return w;
}

static inline void put_dctcp(db_u64 *w, const struct db_dctcp *v)
{
	w = put_growth(w, &v->growth);
	*w++ = v->marked.credited;
	*w++ = v->marked.marked;
	*w++ = v->marked.began;
	*w++ = v->marked.alpha;
	*w++ = v->cut_at;
	*w++ = v->cut_before;
	*w++ = v->cause;
}

static inline void put_veno(db_u64 *w, const struct db_veno *v)
{
	w = put_growth(w, &v->growth);
	*w++ = v->rtt;
	*w++ = v->base;
	w = put_statistic(w, &v->statistic);
	*w++ = v->grow_next;
	*w++ = v->rule;
}

static inline db_u64 *put_vegas(db_u64 *w, const struct db_vegas *v)
{
	w = put_growth(w, &v->growth);
	*w++ = v->base;
	*w++ = v->sum;
	*w++ = v->samples;
	*w++ = v->increment;
	*w++ = v->began;
	*w++ = v->last_cut;
	*w++ = v->has_cut;
	*w++ = v->pace;
	*w++ = v->round_over;
	*w++ = v->grows;
	*w++ = v->rule;
	*w++ = v->loss;
	return w;
}

static inline void put_rovegas(db_u64 *w, const struct db_rovegas *v)
{
	w = put_vegas(w, &v->vegas);
	*w++ = v->waits;
	*w++ = v->reported;
}

static inline void put_westwood(db_u64 *w, const struct db_westwood *v)
{
	w = put_growth(w, &v->growth);
	*w++ = v->rtt_min;
	put_bandwidth(w, &v->bandwidth);
}

static inline void put_westwood_plus(db_u64 *w, const struct db_westwood_plus *v)
{
	const struct db_per_round *b = &v->bandwidth;

	w = put_growth(w, &v->growth);
	*w++ = v->rtt_min;
	*w++ = b->began;
	*w++ = b->bytes;
	*w++ = b->first;
	*w++ = b->bwe;
	*w++ = b->started;
	*w++ = b->sampled;
}

static inline void put_sarbe(db_u64 *w, const struct db_sarbe *v, const struct db_sarbe_past *past)
{
	const struct db_arrivals *b = &v->bandwidth;
	int i;

	w = put_growth(w, &v->growth);
	*w++ = v->rtt;
	*w++ = v->rtt_min;
	*w++ = b->started;
	*w++ = b->last;
	*w++ = b->carried;
	*w++ = b->sampled;
	*w++ = b->filter.estimate;
	*w++ = b->filter.previous;
	*w++ = b->filter.next;
	for (i = 0; i < DB_STABILITY_MOST; i++)
		*w++ = past->known.past[i];
	*w++ = v->congested;
	*w++ = v->rule;
}

/* A digest of the ring: FNV-1a over its words. */
static inline db_u64 digest(const struct db_history *h)
{
	db_u64 sum = 0xcbf29ce484222325ULL;
	int i;

	for (i = 0; i < DB_HISTORY_ENTRIES; i++) {
		sum = (sum ^ h->times[i]) * 0x100000001b3ULL;
		sum = (sum ^ h->rates[i]) * 0x100000001b3ULL;
	}
	return sum;
}

static inline void put_venodb(db_u64 *w, const struct db_venodb *v,
			      const struct db_venodb_past *past)
{
	w = put_growth(w, &v->growth);
	*w++ = v->rtt;
	*w++ = v->base;
	*w++ = (db_u64)v->delay.one_way;
	*w++ = (db_u64)v->delay.d;
	*w++ = (db_u64)(v->delay.trend + 1);
	*w++ = v->delay.known;
	w = put_bandwidth(w, &v->bandwidth);
	*w++ = past->history.next;
	*w++ = past->history.len;
	*w++ = digest(&past->history);
	*w++ = past->last_rtt;
	*w++ = past->tolerance;
	w = put_statistic(w, &past->statistic);
	*w++ = (db_u64)past->smoothed;
	*w++ = past->began;
	*w++ = past->round_over;
	*w++ = past->rule;
}

#endif
