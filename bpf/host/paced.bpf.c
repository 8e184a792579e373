/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * A control with a fixed window and a fixed rate: shows that the kernel obeys the rate of a control. Only
 * for a test.
 */
#include "../kernel.h"
#include "../growth.h"

#define DB_CONTROL paced
#define DB_KERNEL_NAME "db_paced"
#define DB_PACING

struct db_paced_config {
	/* bytes of payload/s << 16; 0: no rate */
	db_u64 rate;
};

struct db_paced {
	struct db_growth growth;
	db_u64 rate;
};

/* Large enough never to limit the test's rates. */
#define DB_PACED_WINDOW 64

static DB_INLINE void db_paced_init(struct db_paced *v, const struct db_paced_config *config,
				    const struct db_path *path)
{
	db_growth_init(&v->growth, path);
	db_set_cwnd(&v->growth, (db_u64)DB_PACED_WINDOW << 32);
	v->rate = config->rate;
}

static DB_INLINE void db_paced_on_sample(struct db_paced *v, const struct db_paced_config *config,
					 const struct db_sample *sample)
{
	(void)v, (void)config, (void)sample;
}

static DB_INLINE void db_paced_on_ack(struct db_paced *v, const struct db_paced_config *config,
				      const struct db_ack *ack)
{
	(void)v, (void)config, (void)ack;
}

static DB_INLINE void db_paced_on_loss(struct db_paced *v, const struct db_paced_config *config,
				       const struct db_loss *loss)
{
	(void)v, (void)config, (void)loss;
}

static DB_INLINE void db_paced_on_timeout(struct db_paced *v, const struct db_paced_config *config,
					  const struct db_timeout *timeout)
{
	(void)v, (void)config, (void)timeout;
}

static DB_INLINE struct db_growth *control_growth(struct db_paced *v)
{
	return &v->growth;
}

static DB_INLINE db_u64 control_base(const struct db_paced *v)
{
	(void)v;
	return 0;
}

static DB_INLINE db_u8 control_rule(const struct db_paced *v, const void *past)
{
	(void)v, (void)past;
	return 0;
}

static DB_INLINE db_u64 control_pacing(const struct db_paced *v)
{
	return v->rate;
}

#include "../glue.h"
