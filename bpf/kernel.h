/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The kernel's structs with only the members that the controls use. They are located by name in the
 * running kernel's BTF when a control is loaded (CO-RE), so no vmlinux.h is needed and one object
 * works on all kernels. Compiled for a host, the same structs are plain memory that a test fills.
 */
#ifndef DUMBBELL_KERNEL_H
#define DUMBBELL_KERNEL_H

#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#ifdef __bpf__
#define DB_KERNEL __attribute__((preserve_access_index))
#else
#define DB_KERNEL
#endif

#define DB_INFINITE_SSTHRESH 0x7fffffffU
/* TCP_INIT_CWND (RFC 6928) */
#define DB_INITIAL_WINDOW 10
#define DB_AF_INET6 10
/* include/uapi/asm-generic/socket.h */
#define DB_SOL_SOCKET 1
#define DB_SO_MAX_PACING_RATE 47
#define DB_NO_RATE_LIMIT 0xffffffffU
/* TCP_CONG_NEEDS_ECN, TCP_ECN_DEMAND_CWR, ICSK_ACK_TIMER, ICSK_ACK_NOW */
#define DB_NEEDS_ECN 2
#define DB_ECN_DEMAND_CWR 4
#define DB_ACK_DELAYED 2
#define DB_ACK_NOW 16

/* include/net/tcp.h, include/uapi/linux/tcp.h; the kernel guarantees neither, but has kept both. */
enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
	CA_EVENT_LOSS,
	CA_EVENT_ECN_NO_CE,
	CA_EVENT_ECN_IS_CE,
};
enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };

struct in6_addr {
	union {
		__u32 u6_addr32[4];
	} in6_u;
} DB_KERNEL;

typedef struct {
	__s64 counter;
} DB_KERNEL atomic64_t;

struct sock_common {
	__u32 skc_daddr;
	__u32 skc_rcv_saddr;
	__u16 skc_dport;
	__u16 skc_num;
	__u16 skc_family;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
	atomic64_t skc_cookie;
} DB_KERNEL;

struct sock {
	struct sock_common __sk_common;
} DB_KERNEL;

struct inet_sock {
	struct sock sk;
} DB_KERNEL;

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_ca_state : 5;
	/* earlier timeouts of this segment, without the present one */
	__u8 icsk_retransmits;
	struct {
		__u8 pending;
	} icsk_ack;
	/* the control's private memory */
	__u64 icsk_ca_priv[13];
} DB_KERNEL;

struct tcp_options_received {
	__u32 rcv_tsval;
	__u32 rcv_tsecr;
	__u16 saw_tstamp : 1;
} DB_KERNEL;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	struct tcp_options_received rx_opt;
	__u32 snd_cwnd;
	__u32 snd_cwnd_clamp;
	__u32 snd_ssthresh;
	__u32 snd_una;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 max_packets_out;
	/* segments with data that were sent, again, too */
	__u32 data_segs_out;
	/* segments that left the network, SACKed ones included */
	__u32 delivered;
	/* those of ACKs with ECE */
	__u32 delivered_ce;
	__u32 rcv_nxt;
	__u8 ecn_flags;
	__u32 mss_cache;
	/* the time of the packet or timer that is being handled, in microseconds */
	__u64 tcp_mstamp;
	__u8 is_cwnd_limited : 1;
	/* since 6.7 */
	__u8 tcp_usec_ts : 1;
} DB_KERNEL;

struct ack_sample {
	/* of the newest segment that the ACK covers or SACKs; negative: none */
	__s32 rtt_us;
} DB_KERNEL;

/* Members are matched by name; only those that are set are declared. */
struct tcp_congestion_ops {
	__u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	void (*set_state)(struct sock *sk, __u8 new_state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void (*in_ack_event)(struct sock *sk, __u32 flags);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	__u32 flags;
	char name[16];
};

extern __u32 tcp_reno_ssthresh(struct sock *sk) __ksym;
extern void tcp_reno_cong_avoid(struct sock *sk, __u32 ack, __u32 acked) __ksym;
extern __u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

static inline __attribute__((always_inline)) struct tcp_sock *tcp_sk(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static inline __attribute__((always_inline)) __u8 tcp_ca_state(struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, inet_conn.icsk_ca_state);
}

/* Whether the control takes over a connection from another, or starts with it, before any data. (icsk_ca_initialized is
 * cleared before either.) */
static inline __attribute__((always_inline)) int tcp_is_taken_over(const struct tcp_sock *tp)
{
	return tp->data_segs_out != 0;
}

/* Segments in the network as the kernel's recovery counts them. */
static inline __attribute__((always_inline)) __u32 tcp_pipe(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

/* Whether the window was in use; in slow start also if it is below twice the largest flight. */
static inline __attribute__((always_inline)) int tcp_is_cwnd_limited(struct tcp_sock *tp)
{
	if (BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited))
		return 1;
	return tp->snd_cwnd < tp->snd_ssthresh && tp->snd_cwnd < 2 * tp->max_packets_out;
}

#endif
