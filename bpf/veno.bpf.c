/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Veno in the Linux kernel: the control of veno.h as tcp_congestion_ops.
 *
 * Deviations: those of glue.h, and no other.
 */
#include "kernel.h"
#include "veno.h"

#define DB_CONTROL veno
#define DB_KERNEL_NAME "db_veno"

static DB_INLINE struct db_growth *control_growth(struct db_veno *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_veno *v)
{
	return v->base;
}

static DB_INLINE db_u8 control_rule(const struct db_veno *v, const void *past)
{
	(void)past;
	return v->rule;
}

#include "glue.h"
