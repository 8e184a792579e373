/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Westwood+ in the Linux kernel: the control of westwood_plus.h as tcp_congestion_ops. The kernel's
 * own tcp_westwood is another interpretation of it.
 *
 * Deviations: those of glue.h, and
 *   - Its name, because the kernel accepts only letters, digits and `_`.
 */
#include "kernel.h"
#include "westwood_plus.h"

#define DB_CONTROL westwood_plus
#define DB_KERNEL_NAME "db_westwoodplus"

static DB_INLINE struct db_growth *control_growth(struct db_westwood_plus *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_westwood_plus *v)
{
	return v->rtt_min;
}

static DB_INLINE db_u8 control_rule(const struct db_westwood_plus *v, const void *past)
{
	(void)past;
	return v->growth.step;
}

#include "glue.h"
