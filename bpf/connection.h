/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A connection of the kernel: its control, what is known beside that, and the window, threshold and rate that pass
 * between the control and the kernel. Part of glue.h.
 */
#ifndef DUMBBELL_CONNECTION_H
#define DUMBBELL_CONNECTION_H

#include "trace.h"
#ifdef DB_MARKS
#include "ecn_echo.h"
#endif

#define DB_JOIN(a, b, c) a##b##c
#define DB_NAMED(a, b, c) DB_JOIN(a, b, c)
#define DB_FUNCTION(event) DB_NAMED(db_, DB_CONTROL, event)

typedef struct DB_NAMED(db_, DB_CONTROL, ) db_control;
typedef struct DB_NAMED(db_, DB_CONTROL, _config) db_config;

#ifdef DB_HAS_PAST
typedef struct DB_NAMED(db_, DB_CONTROL, _past) db_past;
#define DB_CALL(event, v, past, ...) DB_FUNCTION(event)(v, past, db_configuration(), __VA_ARGS__)
#else
typedef struct { } db_past;
#define DB_CALL(event, v, past, ...) DB_FUNCTION(event)(v, db_configuration(), __VA_ARGS__)
#endif

/* The state of a connection besides the control itself, which is in icsk_ca_priv. */
struct db_connection {
	/* the control without the last loss, while that can be undone */
	db_control kept;
	db_past past;
	db_past kept_past;
	struct db_sample sample;
	/* the stamps in ticks, beyond 32 bits */
	__u64 sent;
	__u64 received;
	/* at the last ACK */
	__u32 delivered;
	__u32 snd_una;
	__u32 reports;
	/* snd_cwnd as set last */
	__u32 window;
	__u32 number;
#ifdef DB_PACING
	/* the rate limit as set last, in bytes/s */
	__u32 pace;
#endif
#ifdef DB_MARKS
	/* marked segments that have been counted */
	__u32 counted_ce;
	struct db_ecn_echo echo;
#endif
	__u8 stamped;
	/* ACKs in a row that covered less than a full segment */
	__u8 small;
	/* in a recovery or after a timeout */
	__u8 episode;
	/* ssthresh() was called for a timeout */
	__u8 timed_out;
};

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct db_connection);
} connections SEC(".maps");

/* The parameters, filled in by the loader. */
#ifdef __bpf__
const volatile db_config config = {};
#else
db_config config;
#endif

/* The number of connections so far. */
__u32 connections_begun = 0;

/* Hidden from the compiler, which would assume that the parameters are zero. */
static __always_inline const db_config *db_configuration(void)
{
	const db_config *known = (const db_config *)&config;

	DB_OPAQUE(known);
	return known;
}

static __always_inline db_control *db_control_of(struct sock *sk)
{
	return (db_control *)tcp_sk(sk)->inet_conn.icsk_ca_priv;
}

static __always_inline struct db_connection *db_connection_of(struct sock *sk)
{
	return bpf_sk_storage_get(&connections, sk, 0, 0);
}

static __always_inline __u64 db_now(const struct tcp_sock *tp)
{
	return tp->tcp_mstamp * 1000;
}

static __always_inline __u64 db_segments(__u32 whole)
{
	return (__u64)whole << 32;
}

static __always_inline int db_usec_stamps(struct tcp_sock *tp)
{
	if (!bpf_core_field_exists(tp->tcp_usec_ts))
		return 0;
	return BPF_CORE_READ_BITFIELD(tp, tcp_usec_ts);
}

static __noinline void db_tell(struct sock *sk, struct db_connection *c, db_control *v, __u8 kind)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct db_trace_event *e = bpf_ringbuf_reserve(&trace, sizeof(*e), 0);

	if (!e)
		return;
	db_trace_addresses(e, sk);
	e->time = db_now(tp);
	e->cookie = sk->__sk_common.skc_cookie.counter;
	e->cwnd = control_growth(v)->cwnd;
	e->ssthresh = control_growth(v)->ssthresh;
	e->rtt = c->sample.has_rtt ? c->sample.rtt : 0;
	e->base_rtt = control_base(v);
	e->connection = c->number;
	e->snd_cwnd = tp->snd_cwnd;
	e->in_flight = tcp_pipe(tp);
	e->kind = kind;
	e->rule = control_rule(v, &c->past);
	e->ca_state = tcp_ca_state(tp);
	e->unused[0] = e->unused[1] = e->unused[2] = 0;
	bpf_ringbuf_submit(e, 0);
}

#define DB_TELL(kind)                                  \
	do {                                           \
		if (tracing)                           \
			db_tell(sk, c, v, (kind));     \
	} while (0)

/*
 * Every window that the kernel gets from here passes this: whatever the control and the kernel hold, it is a
 * window, 1 to 2^31 - 1. The kernel reads it as a signed number, and warns if it is 0 or less.
 */
static __always_inline __u32 db_legal(__u64 whole)
{
	return (__u32)db_clamp(whole, 1, DB_INFINITE_SSTHRESH);
}

/* The control's window in whole segments, as far as the kernel allows. */
static __always_inline __u32 db_window(const struct tcp_sock *tp, db_control *v)
{
	__u64 whole = control_growth(v)->cwnd >> 32;

	/* the clamp comes from a route, and may be anything */
	return db_legal(db_min(db_max(whole, 2), tp->snd_cwnd_clamp));
}

/*
 * The window that a control starts with. With a connection, that is the kernel's first window. A control that takes
 * over from another does not believe everything:
 *   - More than what has been sent can be no window: it begins with 10 segments, or fewer than are outstanding, and grows
 *     by no more than one segment for each that is delivered. snd_cwnd is lowered to that.
 *   - In CWR and Recovery, snd_cwnd is on its way to snd_ssthresh, and the kernel sets the former to the latter
 *     at the end. With the present one, the loss would have no effect.
 */
static __always_inline __u32 db_first_window(struct tcp_sock *tp)
{
	__u64 most = (__u64)DB_INITIAL_WINDOW + tp->packets_out + tp->delivered;
	__u8 state = tcp_ca_state(tp);

	if (!tcp_is_taken_over(tp))
		return tp->snd_cwnd;
	if (tp->snd_cwnd > most)
		tp->snd_cwnd = db_legal(most);
	if ((state == TCP_CA_CWR || state == TCP_CA_Recovery) && tp->snd_ssthresh <= most)
		return tp->snd_ssthresh;
	return tp->snd_cwnd;
}

static __always_inline __u32 db_threshold(db_control *v)
{
	__u64 whole = control_growth(v)->ssthresh >> 32;

	return (__u32)db_clamp(whole, 2, DB_INFINITE_SSTHRESH);
}

/*
 * No control has a larger window or threshold, but infinity. A kernel that skips a program takes for its answer what
 * lies on the stack: Linux itself skips none of these, but a vendor's does (6.18) when it interrupts process 1.
 * Then ssthresh or undo_cwnd have "returned" a number such as 0x82205665, the lower half of an address, and in a recovery
 * the window is a part of it.
 */
#define DB_LARGEST ((__u32)(DB_CWND_CAP >> 32))

/* Replaces a threshold and a window that there cannot be by those of the control. */
static __always_inline void db_mend(struct tcp_sock *tp, db_control *v)
{
	if (tp->snd_ssthresh > DB_LARGEST && tp->snd_ssthresh != DB_INFINITE_SSTHRESH)
		tp->snd_ssthresh = db_threshold(v);
	if (tp->snd_cwnd > DB_LARGEST)
		tp->snd_cwnd = db_window(tp, v);
}

#ifdef DB_PACING
/* Sets the rate limit. The kernel computes sk_pacing_rate anew after each ACK, so a value written there
 * would be lost. */
static __always_inline void db_pace(struct sock *sk, struct db_connection *c, db_control *v)
{
	__u64 rate = control_pacing(v);
	__u32 limit = rate ? (__u32)db_clamp(rate >> 16, 1, DB_NO_RATE_LIMIT - 1) : DB_NO_RATE_LIMIT;

	if (limit != c->pace &&
	    !bpf_setsockopt(sk, DB_SOL_SOCKET, DB_SO_MAX_PACING_RATE, &limit, sizeof(limit)))
		c->pace = limit;
}
#else
#define db_pace(sk, c, v)
#endif

#ifndef DB_OWN_RESTRICT
static __always_inline void control_restrict(db_control *v, __u64 cwnd)
{
	db_restrict(control_growth(v), cwnd);
}
#endif

/* Sets the window, the threshold and the rate that the kernel uses until the next event. */
static __always_inline void db_publish(struct sock *sk, struct db_connection *c, db_control *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	db_pace(sk, c, v);
	control_restrict(v, db_segments(tp->snd_cwnd_clamp));
	c->window = db_window(tp, v);
	tp->snd_cwnd = c->window;
	tp->snd_ssthresh = db_threshold(v);
}

/* If the kernel has lowered the window, lowers the control's window, too. */
static __always_inline void db_notice(struct sock *sk, struct db_connection *c, db_control *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (tp->snd_cwnd >= c->window)
		return;
	control_restrict(v, db_segments(tp->snd_cwnd));
	c->window = tp->snd_cwnd;
	DB_TELL(DB_TRACE_RESTRICT);
}

#endif
