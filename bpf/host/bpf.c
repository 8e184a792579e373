/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The twins as separate functions, to be compiled to BPF: the result must not contain any call.
 * This is not a program that the kernel loads.
 */
#include "../dctcp.h"
#include "../rovegas.h"
#include "../sarbe.h"
#include "../vegas.h"
#include "../veno.h"
#include "../venodb.h"
#include "../westwood.h"
#include "../westwood_plus.h"

void probe_div128by32(struct db_u128 *n, db_u32 d)
{
	*n = db_div128by32(*n, d);
}

void probe_shl128(struct db_u128 *n, db_u32 bits)
{
	*n = db_shl128(*n, bits);
}

void probe_tune(struct db_bandwidth_config *config)
{
	db_tune(config);
}

#define LIST(...) __VA_ARGS__

/* The functions of a control; its state as arguments, and as the declarations of these. */
#define PROBES(control, state, ...)                                                        \
	void probe_##control##_init(__VA_ARGS__, const struct db_##control##_config *config, \
				    const struct db_path *path)                            \
	{                                                                                  \
		db_##control##_init(LIST state, config, path);                             \
	}                                                                                  \
											   \
	void probe_##control##_on_sample(__VA_ARGS__,                                      \
					 const struct db_##control##_config *config,       \
					 const struct db_sample *sample)                   \
	{                                                                                  \
		db_##control##_on_sample(LIST state, config, sample);                      \
	}                                                                                  \
											   \
	void probe_##control##_on_ack(__VA_ARGS__,                                         \
				      const struct db_##control##_config *config,          \
				      const struct db_ack *ack)                            \
	{                                                                                  \
		db_##control##_on_ack(LIST state, config, ack);                            \
	}                                                                                  \
											   \
	void probe_##control##_on_loss(__VA_ARGS__,                                        \
				       const struct db_##control##_config *config,         \
				       const struct db_loss *loss)                         \
	{                                                                                  \
		db_##control##_on_loss(LIST state, config, loss);                          \
	}                                                                                  \
											   \
	void probe_##control##_on_timeout(__VA_ARGS__,                                     \
					  const struct db_##control##_config *config,      \
					  const struct db_timeout *timeout)                \
	{                                                                                  \
		db_##control##_on_timeout(LIST state, config, timeout);                    \
	}

PROBES(dctcp, (v), struct db_dctcp *v)
PROBES(veno, (v), struct db_veno *v)
PROBES(vegas, (v), struct db_vegas *v)
PROBES(rovegas, (v), struct db_rovegas *v)
PROBES(westwood, (v), struct db_westwood *v)
PROBES(westwood_plus, (v), struct db_westwood_plus *v)
PROBES(sarbe, (v, past), struct db_sarbe *v, struct db_sarbe_past *past)
PROBES(venodb, (v, past), struct db_venodb *v, struct db_venodb_past *past)

void probe_restrict(struct db_growth *growth, db_u64 cwnd)
{
	db_restrict(growth, cwnd);
}
