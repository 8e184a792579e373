/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel's own CUBIC behind BPF programs that only call it, so that the same counters measure it
 * and the other controls. `nothing` measures the counters' own cost. Only for measurements.
 */
#include "../kernel.h"

extern void cubictcp_init(struct sock *sk) __ksym;
extern __u32 cubictcp_recalc_ssthresh(struct sock *sk) __ksym;
extern void cubictcp_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern void cubictcp_state(struct sock *sk, __u8 new_state) __ksym;
extern void cubictcp_cwnd_event(struct sock *sk, enum tcp_ca_event event) __ksym;
extern void cubictcp_acked(struct sock *sk, const struct ack_sample *sample) __ksym;

SEC("struct_ops")
void BPF_PROG(ca_init, struct sock *sk)
{
	cubictcp_init(sk);
}

SEC("struct_ops")
void BPF_PROG(ca_pkts_acked, struct sock *sk, const struct ack_sample *ack)
{
	cubictcp_acked(sk, ack);
}

SEC("struct_ops")
void BPF_PROG(ca_cong_avoid, struct sock *sk, __u32 ack, __u32 acked)
{
	cubictcp_cong_avoid(sk, ack, acked);
}

SEC("struct_ops")
__u32 BPF_PROG(ca_ssthresh, struct sock *sk)
{
	return cubictcp_recalc_ssthresh(sk);
}

SEC("struct_ops")
void BPF_PROG(ca_cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	cubictcp_cwnd_event(sk, event);
}

SEC("struct_ops")
void BPF_PROG(ca_set_state, struct sock *sk, __u8 new_state)
{
	cubictcp_state(sk, new_state);
}

SEC("struct_ops")
__u32 BPF_PROG(ca_undo_cwnd, struct sock *sk)
{
	return tcp_reno_undo_cwnd(sk);
}

SEC("struct_ops")
void BPF_PROG(nothing, struct sock *sk, __u32 flags)
{
}

SEC(".struct_ops.link")
struct tcp_congestion_ops counted_cubic = {
	.init = (void *)ca_init,
	.pkts_acked = (void *)ca_pkts_acked,
	.cong_avoid = (void *)ca_cong_avoid,
	.ssthresh = (void *)ca_ssthresh,
	.cwnd_event = (void *)ca_cwnd_event,
	.set_state = (void *)ca_set_state,
	.undo_cwnd = (void *)ca_undo_cwnd,
	.in_ack_event = (void *)nothing,
	.name = "db_counted",
};

char LICENSE[] SEC("license") = "Dual MIT/GPL";
