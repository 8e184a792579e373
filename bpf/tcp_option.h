/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The maximum segment size among the options of a TCP header (RFC 9293, section 3.2). A host that
 * adds the AQT option to packets lowers the MSS that its peer announces, to leave space for it.
 */
#ifndef DUMBBELL_TCP_OPTION_H
#define DUMBBELL_TCP_OPTION_H

#include "ip_option.h"

enum {
	DB_MSS_TYPE = 2,
	DB_MSS_LENGTH = 4,
	/* the offset of its field */
	DB_MSS_VALUE = 2,
	/* smaller values are not changed: a kernel's own minimum would undo it */
	DB_MSS_FLOOR = 88,
};

/* Returns the offset of the option, or -1. */
static DB_INLINE int db_mss_find(const db_u8 options[DB_OPTION_BYTES], db_u32 bytes)
{
	return db_option_find(options, bytes, DB_MSS_TYPE, DB_MSS_LENGTH);
}

/* Returns the segment size that leaves space for the AQT option. */
static DB_INLINE db_u32 db_mss_with_room(db_u32 mss)
{
	return mss < DB_MSS_FLOOR + DB_AQT_WIRE_BYTES ? mss : mss - DB_AQT_WIRE_BYTES;
}

#endif
