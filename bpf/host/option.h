/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The parsers of options as separate functions, for tests on a host. */
#ifndef DUMBBELL_HOST_OPTION_H
#define DUMBBELL_HOST_OPTION_H

#include "../tcp_option.h"

/* Operation, bytes or microseconds, nanoseconds, 40 bytes of options. */
#define DB_OPTION_WORDS 8

/*
 * 0: the offset of the AQT option among this many bytes, or -1; 1: the same for the MSS option;
 * 2: the microseconds after a router in which a packet waited this many nanoseconds; 3: an MSS that
 * leaves space for the option.
 */
db_s64 db_option_answer(const db_u64 record[DB_OPTION_WORDS]);

#endif
