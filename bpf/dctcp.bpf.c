/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * DCTCP in the Linux kernel: the control of dctcp.h as tcp_congestion_ops, and its receiver. Both hosts must use it:
 * an ordinary receiver repeats the echo of a mark until the sender has cut its window, which counts too many.
 *
 * Deviations: those of glue.h, and
 *   - The kernel counts the marked segments of an ACK after it has passed on the ACK (since Linux 6.15): they are
 *     counted with the next one, and never more than that delivers.
 *   - A cut without a lost segment is one by a mark; the kernel also asks for one when a queue of the host is full.
 *   - A loss while the kernel still lowers the window because of a mark is one in the same window.
 */
#include "kernel.h"
#include "dctcp.h"

#define DB_CONTROL dctcp
#define DB_KERNEL_NAME "db_dctcp"
#define DB_MARKS
#define DB_OWN_RESTRICT

static DB_INLINE struct db_growth *control_growth(struct db_dctcp *v)
{
	return &v->growth;
}

static DB_INLINE void control_restrict(struct db_dctcp *v, db_u64 cwnd)
{
	db_dctcp_restrict(v, cwnd);
}

static DB_INLINE db_u64 control_base(const struct db_dctcp *v)
{
	(void)v;
	return 0;
}

static DB_INLINE db_u8 control_rule(const struct db_dctcp *v, const void *past)
{
	(void)past;
	return db_dctcp_rule(v);
}

#include "glue.h"
