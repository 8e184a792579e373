/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * AQT on real hosts: RoVegas' IP option, section 3 of "Design and performance evaluation of an
 * improved TCP congestion avoidance scheme" (RoVegas), by tc programs. No application changes.
 *
 *   aqt_sender_in, aqt_sender_out       the sender's host: add the option to data packets of
 *                                       sockets that use one control, and store the reports of
 *                                       ACKs for the control
 *   aqt_receiver_in, aqt_receiver_out   the receiver's host: store the newest AQT of a socket,
 *                                       and return it in the socket's ACKs
 *   aqt_arrive, aqt_depart              a router: add the time between the two to AQT. The first
 *                                       runs just before the queue, at the egress of the device
 *                                       that has it; the second just after it, at the ingress of
 *                                       a veth's other end or the egress of a lower device
 *
 * A tc program at an egress runs before the packet is queued, so the device with the queue cannot
 * measure how long a packet waited. The time of arrival is stored in the packet's own timestamp,
 * which a queue preserves, even through segmentation, and which forwarding clears afterwards.
 *
 * To leave space for the 12 bytes, the sender's host lowers the MSS in the SYN or SYN-ACK that such a
 * socket receives, as if the peer had announced 12 bytes less. A packet without space is unchanged.
 *
 * Deviations from the paper: an ACK has the option only if the data had it; a packet with other IP
 * options does not get it; data with the option also carries an echo, but reports are read only from
 * pure ACKs. The programs handle only TCP over IPv4; fragments and all other packets pass unchanged.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "aqt_map.h"
#include "tcp_option.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

/* The members of the kernel's structs that are read; offsets come from its BTF. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct tcp_congestion_ops {
	char name[16];
};
struct inet_connection_sock {
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u32 icsk_pmtu_cookie;
};
struct tcp_sock {
	struct inet_connection_sock inet_conn;
};
struct sk_buff {
	unsigned char *head;
	unsigned char *data;
	__u16 network_header;
};
#pragma clang attribute pop

extern void *bpf_cast_to_kern_ctx(void *context) __ksym;

/* Connections of this control carry the option; with an empty name all do. Set before loading. */
const volatile char control[16] = "db_rovegas";

enum { IP_BYTES = 20, TCP_BYTES = 20, TCP_PROTOCOL = 6, FIN = 1, SYN = 2, RST = 4, ACK = 16 };
enum { IP_CHECKSUM = 10, TCP_CHECKSUM = 16 };
/* The packet's timestamp is of the monotonic clock; the verdict is left to the next program. */
enum { MONOTONIC = 1, NEXT = -1 };

struct ip_header {
	__u8 version_and_words, tos;
	__be16 total, id, fragment;
	__u8 ttl, protocol;
	__be16 check;
	__be32 source, destination;
};

struct tcp_header {
	__be16 source, destination;
	__be32 sequence, acknowledgement;
	__u8 words, flags;
	__be16 window, check, urgent;
};

/* Counters of the programs, for display. */
enum count { MARKED, NO_ROOM, STAMPED, HEARD, ECHOED, REPORTED, CLAMPED, COUNTS };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, COUNTS);
	__type(key, __u32);
	__type(value, __u64);
} aqt_counts SEC(".maps");

/* The newest AQT of the data that a socket received. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, __u32);
} aqt_heard SEC(".maps");

static __always_inline void count(enum count what)
{
	__u32 key = what;
	__u64 *value = bpf_map_lookup_elem(&aqt_counts, &key);

	if (value)
		*value += 1;
}

/* A complete TCP packet, and the offsets of its parts. */
struct packet {
	__u32 ip;
	__u32 tcp;
	/* sizes in bytes: the IP packet, its TCP header, and its payload */
	__u32 total;
	__u32 tcp_bytes;
	__u32 payload;
	/* the offset of the AQT option, 0 if there is none, and its values */
	__u32 option;
	__be32 wait;
	__be32 echo;
	__be32 source, destination;
	__be16 source_port, destination_port;
	__u8 flags;
};

static __always_inline int read_option(struct __sk_buff *skb, struct packet *p)
{
	__u8 options[DB_OPTION_BYTES] = {};
	__u32 bytes = (p->tcp - p->ip - IP_BYTES) & 63;
	int found;

	p->option = 0;
	/* the verifier must see that the length is 1 to 40 */
	if (bytes == 0 || bytes > DB_OPTION_BYTES)
		return 0;
	if (bpf_skb_load_bytes(skb, p->ip + IP_BYTES, options, bytes))
		return -1;
	found = db_aqt_find(options, bytes);
	if (found < 0)
		return 0;
	p->option = p->ip + IP_BYTES + (__u32)found;
	if (bpf_skb_load_bytes(skb, p->option + DB_AQT_WAIT, &p->wait, sizeof(p->wait)) ||
	    bpf_skb_load_bytes(skb, p->option + DB_AQT_ECHO, &p->echo, sizeof(p->echo)))
		return -1;
	return 0;
}

/* Returns 0 if it is a packet that the programs handle. */
static __always_inline int read_packet(struct __sk_buff *skb, struct packet *p)
{
	struct sk_buff *kernel;
	struct ip_header ip;
	struct tcp_header tcp;
	__u32 ip_bytes;

	if (skb->protocol != bpf_htons(ETH_P_IP))
		return -1;
	/* devices differ in the headers before the IP header */
	kernel = bpf_cast_to_kern_ctx(skb);
	p->ip = (__u32)((__u64)BPF_CORE_READ(kernel, head) + kernel->network_header -
			(__u64)BPF_CORE_READ(kernel, data));
	if (bpf_skb_load_bytes(skb, p->ip, &ip, sizeof(ip)))
		return -1;
	ip_bytes = (ip.version_and_words & 15) * 4;
	/* rejects fragments, and packets with fewer bytes than their headers say */
	if (ip.version_and_words >> 4 != 4 || ip_bytes < IP_BYTES || ip.protocol != TCP_PROTOCOL ||
	    (ip.fragment & bpf_htons(0x3fff)))
		return -1;
	p->tcp = p->ip + ip_bytes;
	if (bpf_skb_load_bytes(skb, p->tcp, &tcp, sizeof(tcp)))
		return -1;
	p->total = bpf_ntohs(ip.total);
	p->tcp_bytes = (tcp.words >> 4) * 4;
	if (p->tcp_bytes < TCP_BYTES || p->total < ip_bytes + p->tcp_bytes ||
	    p->total > skb->len - p->ip)
		return -1;
	p->payload = p->total - ip_bytes - p->tcp_bytes;
	p->flags = tcp.flags;
	p->source = ip.source;
	p->destination = ip.destination;
	p->source_port = tcp.source;
	p->destination_port = tcp.destination;
	return read_option(skb, p);
}

/* Replaces a field of the IP header, and updates the checksum (RFC 1624). */
static __always_inline int replace(struct __sk_buff *skb, const struct packet *p, __u32 at,
				   __be32 from, __be32 to)
{
	return bpf_l3_csum_replace(skb, p->ip + IP_CHECKSUM, from, to, sizeof(to)) ||
	       bpf_skb_store_bytes(skb, at, &to, sizeof(to), 0);
}

/* The size of the IP packet on the wire; the largest, if this one is cut into several. */
static __always_inline __u32 largest(const struct __sk_buff *skb, const struct packet *p)
{
	__u32 headers = p->total - p->payload;

	return skb->gso_size && p->payload > skb->gso_size ? headers + skb->gso_size : p->total;
}

/* Adds the option, with this echo, to an IP header without options. */
static __always_inline int insert(struct __sk_buff *skb, struct packet *p, __be32 echo)
{
	__u8 option[DB_AQT_WIRE_BYTES] = { DB_AQT_TYPE, DB_AQT_LENGTH };
	struct ip_header ip;
	__s64 sum;

	__builtin_memcpy(option + DB_AQT_ECHO, &echo, sizeof(echo));
	/* the segment size for segmentation is unchanged, because the MSS left the space */
	if (bpf_skb_adjust_room(skb, sizeof(option), BPF_ADJ_ROOM_NET, BPF_F_ADJ_ROOM_FIXED_GSO))
		return -1;
	if (bpf_skb_load_bytes(skb, p->ip, &ip, sizeof(ip)))
		return -1;
	ip.version_and_words = 0x40 | (IP_BYTES + DB_AQT_WIRE_BYTES) / 4;
	ip.total = bpf_htons((__u16)(p->total + DB_AQT_WIRE_BYTES));
	ip.check = 0;
	sum = bpf_csum_diff(0, 0, (__be32 *)&ip, sizeof(ip), 0);
	sum = bpf_csum_diff(0, 0, (__be32 *)option, sizeof(option), (__wsum)sum);
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff);
	ip.check = (__u16)~(sum + (sum >> 16));
	return bpf_skb_store_bytes(skb, p->ip, &ip, sizeof(ip), 0) ||
	       bpf_skb_store_bytes(skb, p->ip + IP_BYTES, option, sizeof(option), 0);
}

/* Returns whether a socket's control is the one whose connections carry the option. */
static __always_inline int controlled(struct tcp_sock *tcp)
{
	const struct tcp_congestion_ops *ops = tcp->inet_conn.icsk_ca_ops;
	char name[16] = {};
	int i;

	if (!control[0])
		return 1;
	if (bpf_probe_read_kernel(name, sizeof(name), ops->name))
		return 0;
	for (i = 0; i < 16; i++) {
		if (name[i] != control[i])
			return 0;
		if (!name[i])
			break;
	}
	return 1;
}

/* Returns the socket of a packet, which must be released; NULL if it does not use the control. */
static __always_inline struct bpf_sock *socket_of(struct __sk_buff *skb, const struct packet *p,
						  int any)
{
	struct bpf_sock_tuple tuple = {};
	struct bpf_sock *socket;
	struct tcp_sock *tcp;

	tuple.ipv4.saddr = p->source;
	tuple.ipv4.daddr = p->destination;
	tuple.ipv4.sport = p->source_port;
	tuple.ipv4.dport = p->destination_port;
	socket = bpf_skc_lookup_tcp(skb, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0);
	if (!socket)
		return 0;
	tcp = bpf_skc_to_tcp_sock(socket);
	if (tcp && (any || controlled(tcp)))
		return socket;
	bpf_sk_release(socket);
	return 0;
}

SEC("tcx/egress")
int aqt_sender_out(struct __sk_buff *skb)
{
	struct bpf_sock *socket = skb->sk;
	struct tcp_sock *tcp;
	struct packet p;
	__u32 mtu = 0, path;

	if (!socket)
		return NEXT;
	tcp = bpf_skc_to_tcp_sock(socket);
	if (!tcp || !controlled(tcp))
		return NEXT;
	/* a path may have a smaller MTU than the device; 0 means unknown */
	path = tcp->inet_conn.icsk_pmtu_cookie;
	if (read_packet(skb, &p) || p.payload == 0 || p.tcp != p.ip + IP_BYTES)
		return NEXT;
	bpf_check_mtu(skb, 0, &mtu, 0, 0);
	if (path && path < mtu)
		mtu = path;
	if (largest(skb, &p) + DB_AQT_WIRE_BYTES > mtu || p.total + DB_AQT_WIRE_BYTES > 0xffff) {
		count(NO_ROOM);
		return NEXT;
	}
	if (!insert(skb, &p, 0))
		count(MARKED);
	return NEXT;
}

/* Lowers the MSS of a SYN or SYN-ACK. */
static __always_inline void make_room(struct __sk_buff *skb, const struct packet *p)
{
	__u8 options[DB_OPTION_BYTES] = {};
	__u32 bytes = (p->tcp_bytes - TCP_BYTES) & 63, at;
	__u16 from, to;
	__be16 value;
	int found;

	if (bytes == 0 || bytes > DB_OPTION_BYTES ||
	    bpf_skb_load_bytes(skb, p->tcp + TCP_BYTES, options, bytes))
		return;
	found = db_mss_find(options, bytes);
	if (found < 0)
		return;
	at = p->tcp + TCP_BYTES + (__u32)found + DB_MSS_VALUE;
	if (bpf_skb_load_bytes(skb, at, &value, sizeof(value)))
		return;
	from = value;
	to = bpf_htons((__u16)db_mss_with_room(bpf_ntohs(value)));
	value = to;
	/* at an odd offset the bytes of the sum are swapped */
	if (found & 1) {
		from = __builtin_bswap16(from);
		to = __builtin_bswap16(to);
	}
	if (from == to || bpf_l4_csum_replace(skb, p->tcp + TCP_CHECKSUM, from, to, sizeof(to)) ||
	    bpf_skb_store_bytes(skb, at, &value, sizeof(value), 0))
		return;
	count(CLAMPED);
}

SEC("tcx/ingress")
int aqt_sender_in(struct __sk_buff *skb)
{
	struct db_aqt_report *report;
	struct bpf_sock *socket;
	struct packet p;
	int opens, tells;

	if (read_packet(skb, &p))
		return NEXT;
	opens = p.flags & SYN;
	tells = p.option && p.payload == 0 && (p.flags & (SYN | RST | ACK)) == ACK;
	if (!opens && !tells)
		return NEXT;
	socket = socket_of(skb, &p, 0);
	if (!socket)
		return NEXT;
	if (tells) {
		report = bpf_sk_storage_get(&aqt_sk, socket, 0, BPF_SK_STORAGE_GET_F_CREATE);
		if (report) {
			report->aqt_us = bpf_ntohl(p.wait);
			report->echo_us = bpf_ntohl(p.echo);
			report->count++;
			count(REPORTED);
		}
	}
	bpf_sk_release(socket);
	if (opens)
		make_room(skb, &p);
	return NEXT;
}

SEC("tcx/ingress")
int aqt_receiver_in(struct __sk_buff *skb)
{
	struct bpf_sock *socket;
	struct packet p;
	__u32 *heard;

	if (read_packet(skb, &p) || !p.option || p.payload == 0)
		return NEXT;
	socket = socket_of(skb, &p, 1);
	if (!socket)
		return NEXT;
	heard = bpf_sk_storage_get(&aqt_heard, socket, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (heard) {
		*heard = bpf_ntohl(p.wait);
		count(HEARD);
	}
	bpf_sk_release(socket);
	return NEXT;
}

SEC("tcx/egress")
int aqt_receiver_out(struct __sk_buff *skb)
{
	struct bpf_sock *socket = skb->sk;
	struct packet p;
	__u32 *heard;
	__be32 echo;

	if (!socket)
		return NEXT;
	heard = bpf_sk_storage_get(&aqt_heard, socket, 0, 0);
	if (!heard)
		return NEXT;
	echo = bpf_htonl(*heard);
	if (read_packet(skb, &p) || (p.flags & (SYN | RST | ACK)) != ACK)
		return NEXT;
	if (p.option) {
		if (!replace(skb, &p, p.option + DB_AQT_ECHO, p.echo, echo))
			count(ECHOED);
	} else if (p.payload == 0 && p.tcp == p.ip + IP_BYTES) {
		if (!insert(skb, &p, echo))
			count(ECHOED);
	}
	return NEXT;
}

SEC("tcx/egress")
int aqt_arrive(struct __sk_buff *skb)
{
	__u64 now = bpf_ktime_get_ns();
	struct packet p;

	if (read_packet(skb, &p) || !p.option)
		return NEXT;
	/* a local packet with a future departure time has not arrived yet */
	if (skb->tstamp_type == MONOTONIC && skb->tstamp > now)
		return NEXT;
	bpf_skb_set_tstamp(skb, now, MONOTONIC);
	return NEXT;
}

static __always_inline int depart(struct __sk_buff *skb)
{
	__u64 now = bpf_ktime_get_ns(), waited;
	struct packet p;
	__be32 wait;

	if (skb->tstamp_type != MONOTONIC || skb->tstamp == 0 || skb->tstamp > now)
		return NEXT;
	waited = now - skb->tstamp;
	if (read_packet(skb, &p) || !p.option)
		return NEXT;
	wait = bpf_htonl(db_aqt_delayed(bpf_ntohl(p.wait), waited));
	if (!replace(skb, &p, p.option + DB_AQT_WAIT, p.wait, wait))
		count(STAMPED);
	return NEXT;
}

SEC("tcx/ingress")
int aqt_depart(struct __sk_buff *skb)
{
	return depart(skb);
}

SEC("tcx/egress")
int aqt_depart_below(struct __sk_buff *skb)
{
	return depart(skb);
}
