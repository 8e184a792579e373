/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Translates the kernel's callbacks into a control's events, in the same way for every control. A
 * control's file includes it last, after defining:
 *
 *   DB_CONTROL          the control, as in db_veno_init
 *   DB_KERNEL_NAME      its name in the kernel
 *   DB_HAS_PAST         if its functions take a second struct, for a map
 *   DB_PACING           if it sets a rate: control_pacing(v), in bytes of payload/s << 16, 0 for none
 *   DB_MARKS            if it counts ECN marks: connections negotiate ECN, and receivers are DCTCP's
 *   DB_OWN_RESTRICT     if a lower window changes more than its growth: control_restrict(v, cwnd)
 *   control_growth(v), control_base(v), control_rule(v, past)
 *
 *   callback     event
 *   init         init, with the kernel's window, threshold and segment size; of a connection that another control
 *                has begun, no more window than what has been sent, and in a recovery the one at its end
 *   pkts_acked   on_sample: the kernel calls it for each ACK while anything is outstanding
 *   cong_avoid   on_ack, then snd_cwnd and snd_ssthresh from the control
 *   ssthresh     on_loss; returns the target window of the kernel's recovery
 *   cwnd_event   LOSS: it was not a loss but a timeout, so the control is restored;
 *                COMPLETE_CWR: a recovery has ended: snd_cwnd and snd_ssthresh from the control;
 *                ECN_IS_CE, ECN_NO_CE: with DB_MARKS, what the receiver echoes
 *   set_state    Loss: on_timeout, repeated ones included; with DB_MARKS, Recovery after CWR: on_loss
 *   undo_cwnd    restores the copy of the control that has seen all samples, but not the loss
 *
 * pkts_acked, cwnd_event and set_state first replace a window and a threshold that a control cannot have (db_mend).
 *
 * A connection without memory for its bookkeeping uses Reno, by the kernel's own functions.
 *
 * How the kernel makes every control differ from the Rust control and the papers:
 *   - Recovery is the kernel's: SACK, RACK-TLP, F-RTO, proportional rate reduction. A control sets
 *     the window at its end, and grows the window outside it and after timeouts.
 *   - snd_cwnd is whole segments, at least 2 except right after a timeout, and at most
 *     snd_cwnd_clamp; the control keeps its fractions.
 *   - The kernel does not report when the lost segment was sent, or how often. Its episodes begin with
 *     segments sent after the last cut, so lost_sent_at is now; transmissions is 1, or 2 if the
 *     retransmission after a timeout was lost.
 *   - The flight of a loss and of a timeout is packets_out, all outstanding segments (RFC 5681's
 *     FlightSize); that of an ACK is the segments considered to be in the network.
 *   - acked counts the segments that an ACK newly covers, without those that SACK covered before.
 *   - An ECN mark is passed on as a loss; the controls without DB_MARKS treat both alike.
 *   - RTTs are whole microseconds; an ACK that covers many segments gives one RTT, of the newest. An ACK
 *     that covers less than a full segment gives none, unless four of them have come before it in a row.
 *   - Delayed and merged ACKs (GRO) reach the control as one. So windows grow by the segments that
 *     they cover (RFC 3465, without a limit, as in Linux), not per ACK as in the papers, which
 *     counting = "ack" selects.
 *   - An undo has an effect during a recovery or a timeout; a later D-SACK has none.
 *   - After an idle period the kernel lowers snd_cwnd: the control's window is lowered to
 *     it, and its threshold is unchanged.
 *   - Stamps are those of the timestamps option: 1 ms (1 us on routes with TCP_USEC_TS), used only
 *     while no segment is missing or out of order. The peer's clock is assumed to have the same tick.
 *   - The segment size is that at the start of the connection.
 *   - A rate is an upper limit (SO_MAX_PACING_RATE): the kernel sets a rate of its own on each ACK, 1.2
 *     or 2 times snd_cwnd / SRTT, and the lower of the two holds. The kernel does not pace the first 10
 *     segments of a connection. The rate replaces a limit that the application has set, is at most
 *     2^32 - 2 bytes/s, and remains if the socket changes to another control.
 *   - on_sent and on_mss are not reported, nor are the lost and marked segments of a sample.
 */
#ifndef DUMBBELL_GLUE_H
#define DUMBBELL_GLUE_H

#include "ack.h"

static __always_inline void db_keep(struct db_connection *c, db_control *v)
{
	__builtin_memcpy(&c->kept, v, sizeof(*v));
	c->kept_past = c->past;
	c->episode = 1;
}

static __always_inline void db_put_back(struct db_connection *c, db_control *v)
{
	__builtin_memcpy(v, &c->kept, sizeof(*v));
	c->past = c->kept_past;
}

/* A separate function, so that the verifier checks it only once. */
__noinline int db_sample_kept(struct db_connection *c)
{
	if (!c)
		return 0;
	DB_CALL(_on_sample, &c->kept, &c->kept_past, &c->sample);
	return 0;
}

SEC("struct_ops")
void BPF_PROG(ca_init, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	db_control *v = db_control_of(sk);
	struct db_connection *c;
	struct db_path path = {};

	c = bpf_sk_storage_get(&connections, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!c)
		return;
	path.mss = tp->mss_cache;
	path.initial_window = db_segments(db_first_window(tp));
	path.ssthresh = tp->snd_ssthresh > DB_LARGEST ? DB_U64_MAX : db_segments(tp->snd_ssthresh);
	path.stamp_granularity = db_usec_stamps(tp) ? 1000 : 1000000;
	c->delivered = tp->delivered;
	c->snd_una = tp->snd_una;
	c->window = tp->snd_cwnd;
	c->number = __sync_fetch_and_add(&connections_begun, 1);
	c->reports = 0;
	c->stamped = 0;
	c->small = 0;
	c->episode = 0;
	c->timed_out = 0;
#ifdef DB_MARKS
	c->counted_ce = tp->delivered_ce;
	c->echo.rcv_nxt = tp->rcv_nxt;
	c->echo.marked = 0;
#endif
	DB_CALL(_init, v, &c->past, &path);
#ifdef DB_PACING
	c->pace = DB_NO_RATE_LIMIT;
#endif
	db_pace(sk, c, v);
	DB_TELL(DB_TRACE_BEGIN);
}

SEC("struct_ops")
void BPF_PROG(ca_pkts_acked, struct sock *sk, const struct ack_sample *ack)
{
	struct tcp_sock *tp = tcp_sk(sk);
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);

	if (!c)
		return;
	db_mend(tp, v);
	db_read_ack(sk, c, ack->rtt_us);
	if (c->episode)
		db_sample_kept(c);
	DB_CALL(_on_sample, v, &c->past, &c->sample);
	if (tracing && tcp_ca_state(tp) != TCP_CA_Open)
		db_tell(sk, c, v, DB_TRACE_SAMPLE);
}

SEC("struct_ops")
void BPF_PROG(ca_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);
	struct db_ack event = {};

	if (!c) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}
	db_notice(sk, c, v);
	event.now = db_now(tp);
	event.acked = db_segments(acked);
	event.in_flight = db_segments(tcp_pipe(tp));
	event.app_limited = !tcp_is_cwnd_limited(tp);
	DB_CALL(_on_ack, v, &c->past, &event);
	db_publish(sk, c, v);
	DB_TELL(DB_TRACE_ACK);
}

SEC("struct_ops")
__u32 BPF_PROG(ca_ssthresh, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);
	struct db_loss event = {};

	if (!c)
		return db_legal(tcp_reno_ssthresh(sk));
	db_notice(sk, c, v);
	db_keep(c, v);
	event.now = db_now(tp);
	event.in_flight = db_segments(tp->packets_out);
	event.lost_sent_at = event.now;
	event.transmissions = tcp_ca_state(tp) == TCP_CA_Loss ? 2 : 1;
	event.is_mark = tcp_ca_state(tp) < TCP_CA_CWR && !tp->lost_out;
	DB_CALL(_on_loss, v, &c->past, &event);
	DB_TELL(DB_TRACE_LOSS);
	return db_window(tp, v);
}

SEC("struct_ops")
void BPF_PROG(ca_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);

	if (!c)
		return;
	db_mend(tcp_sk(sk), v);
	if (event == CA_EVENT_LOSS) {
		db_put_back(c, v);
		c->timed_out = 1;
	} else if (event == CA_EVENT_COMPLETE_CWR) {
		db_publish(sk, c, v);
	}
#ifdef DB_MARKS
	else if (event == CA_EVENT_ECN_IS_CE || event == CA_EVENT_ECN_NO_CE)
		db_arrived(&c->echo, tcp_sk(sk), event == CA_EVENT_ECN_IS_CE);
#endif
}

#ifdef DB_MARKS
/* A segment is lost while the kernel lowers the window because of a mark. It does not ask for a threshold again. */
static __always_inline void db_lose_after_mark(struct tcp_sock *tp, struct db_connection *c, db_control *v)
{
	struct db_loss event = {};

	db_keep(c, v);
	event.now = db_now(tp);
	event.in_flight = db_segments(tp->packets_out);
	event.transmissions = 1;
	DB_CALL(_on_loss, v, &c->past, &event);
	tp->snd_ssthresh = db_window(tp, v);
}
#endif

/*
 * Returns whether Loss was entered because of a timeout. The kernel also enters it when it learns
 * that segments were too large for the path, which is not a loss: then it does not ask for a
 * threshold and does not change snd_cwnd.
 */
static __always_inline int db_is_timeout(struct tcp_sock *tp, const struct db_connection *c)
{
	return c->timed_out ||
	       (tcp_ca_state(tp) >= TCP_CA_CWR && tp->snd_cwnd == tcp_pipe(tp) + 1);
}

SEC("struct_ops")
void BPF_PROG(ca_set_state, struct sock *sk, __u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);
	struct db_timeout event = {};

	if (!c)
		return;
	db_mend(tp, v);
	if (new_state == TCP_CA_Loss && db_is_timeout(tp, c)) {
		event.now = db_now(tp);
		event.in_flight = db_segments(tp->packets_out);
		event.consecutive = (__u32)tp->inet_conn.icsk_retransmits + 1;
		DB_CALL(_on_timeout, v, &c->past, &event);
		c->timed_out = 0;
		/* the kernel owns snd_cwnd until the next ACK */
		c->window = tp->snd_cwnd;
		tp->snd_ssthresh = db_threshold(v);
		DB_TELL(DB_TRACE_TIMEOUT);
#ifdef DB_MARKS
	} else if (new_state == TCP_CA_Recovery && tcp_ca_state(tp) == TCP_CA_CWR) {
		db_lose_after_mark(tp, c, v);
		DB_TELL(DB_TRACE_LOSS);
#endif
	} else if (new_state < TCP_CA_CWR && tcp_ca_state(tp) >= TCP_CA_CWR) {
		c->episode = 0;
		db_publish(sk, c, v);
		DB_TELL(DB_TRACE_LEAVE);
	}
}

SEC("struct_ops")
__u32 BPF_PROG(ca_undo_cwnd, struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);

	if (!c)
		return db_legal(tcp_reno_undo_cwnd(sk));
	if (!c->episode)
		return db_legal(tp->snd_cwnd);
	db_put_back(c, v);
	c->episode = 0;
	c->window = db_window(tp, v);
	DB_TELL(DB_TRACE_UNDO);
	return c->window;
}

SEC("struct_ops")
void BPF_PROG(ca_release, struct sock *sk)
{
	db_control *v = db_control_of(sk);
	struct db_connection *c = db_connection_of(sk);

	if (!c)
		return;
	DB_TELL(DB_TRACE_END);
	bpf_sk_storage_delete(&connections, sk);
}

SEC(".struct_ops.link")
struct tcp_congestion_ops DB_NAMED(db_, DB_CONTROL, ) = {
	.init = (void *)ca_init,
	.release = (void *)ca_release,
	.pkts_acked = (void *)ca_pkts_acked,
	.cong_avoid = (void *)ca_cong_avoid,
	.ssthresh = (void *)ca_ssthresh,
	.cwnd_event = (void *)ca_cwnd_event,
	.set_state = (void *)ca_set_state,
	.undo_cwnd = (void *)ca_undo_cwnd,
#ifdef DB_MARKS
	.flags = DB_NEEDS_ECN,
#endif
	.name = DB_KERNEL_NAME,
};

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#endif
