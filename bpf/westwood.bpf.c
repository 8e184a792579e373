/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Westwood in the Linux kernel: the control of westwood.h as tcp_congestion_ops.
 *
 * Deviations: those of glue.h, and
 *   - ACKs that the network card or the receiver merged make one bandwidth sample.
 */
#include "kernel.h"
#include "westwood.h"

#define DB_CONTROL westwood
#define DB_KERNEL_NAME "db_westwood"

static DB_INLINE struct db_growth *control_growth(struct db_westwood *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_westwood *v)
{
	return v->rtt_min;
}

static DB_INLINE db_u8 control_rule(const struct db_westwood *v, const void *past)
{
	(void)past;
	return v->growth.step;
}

#include "glue.h"
