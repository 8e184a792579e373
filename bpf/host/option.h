/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The parsers of options as functions of their own, for tests on a host. */
#ifndef DUMBBELL_HOST_OPTION_H
#define DUMBBELL_HOST_OPTION_H

#include "../tcp_option.h"

/* Operation, bytes or microseconds, nanoseconds, 40 bytes of options. */
#define DB_OPTION_WORDS 8

/*
 * 0: where the AQT option begins among so many bytes, or -1; 1: the same of the MSS option;
 * 2: microseconds behind a router where a packet waited so many nanoseconds; 3: an MSS with room.
 */
db_s64 db_option_answer(const db_u64 record[DB_OPTION_WORDS]);

#endif
