/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Replaces the parts of libbpf that the glue uses, on a host: maps are memory of glue.c, and a trace
 * has no listener.
 */
#ifndef DUMBBELL_SHIM_HELPERS_H
#define DUMBBELL_SHIM_HELPERS_H

#define SEC(name)
#define __ksym
/* <linux/stddef.h> defines it differently */
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
#define __uint(name, value) int (*name)[value]
#define __type(name, value) value *name

void *db_host_storage(const void *map, int create);
void db_host_delete(const void *map);
int db_host_send_ack(unsigned int rcv_nxt);

#define bpf_sk_storage_get(map, sk, value, flags) db_host_storage(map, (flags) != 0)
#define bpf_sk_storage_delete(map, sk) db_host_delete(map)
#define bpf_tcp_send_ack(tp, rcv_nxt) db_host_send_ack(rcv_nxt)
#define bpf_ringbuf_reserve(map, size, flags) ((void)(map), (void *)0)
#define bpf_ringbuf_submit(event, flags) ((void)(event))

#endif
