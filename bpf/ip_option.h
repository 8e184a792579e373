/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The AQT option of IPv4 among the options of a header: the twin of the Rust module `option::aqt` of
 * dumbbell-tcp, which documents the layout. RoVegas, section 3.
 *
 * Plain C, for BPF and for a host. It takes one step per byte, whatever the bytes are, so that the
 * kernel's verifier sees no loop that depends on data.
 */
#ifndef DUMBBELL_IP_OPTION_H
#define DUMBBELL_IP_OPTION_H

#include "dumbbell.h"

enum {
	/* not copied to fragments, class 2 (measurement), number 30 (RFC 4727, an experiment) */
	DB_AQT_TYPE = 0x5e,
	DB_AQT_LENGTH = 10,
	/* with its padding, because a header's length is a multiple of 4 bytes */
	DB_AQT_WIRE_BYTES = 12,
	/* the offsets of its two fields */
	DB_AQT_WAIT = 2,
	DB_AQT_ECHO = 6,
	/* the largest number of option bytes in an IPv4 header, and in a TCP header */
	DB_OPTION_BYTES = 40,
	/* end of options, and no operation: for IPv4 (RFC 791) and TCP (RFC 9293) alike */
	DB_OPTION_END = 0,
	DB_OPTION_NONE = 1,
};

/*
 * Returns the offset of the first option of this type and length among `bytes` bytes of options,
 * or -1. An option of another length is skipped; an invalid list hides what follows.
 */
static DB_INLINE int db_option_find(const db_u8 options[DB_OPTION_BYTES], db_u32 bytes, db_u8 type,
				    db_u8 length)
{
	db_u32 at, next = 0;

	for (at = 0; at < DB_OPTION_BYTES; at++) {
		db_u8 kind = options[at], size;

		if (at < next)
			continue;
		if (at >= bytes || kind == DB_OPTION_END)
			break;
		next = at + 1;
		if (kind == DB_OPTION_NONE)
			continue;
		/* an option has a type and a length, and both are within the list */
		if (at + 1 >= DB_OPTION_BYTES || at + 1 >= bytes)
			break;
		size = options[at + 1];
		if (size < 2 || size > bytes - at)
			break;
		if (kind == type && size == length)
			return (int)at;
		next = at + size;
	}
	return -1;
}

/* Returns the offset of the AQT option, or -1. */
static DB_INLINE int db_aqt_find(const db_u8 options[DB_OPTION_BYTES], db_u32 bytes)
{
	return db_option_find(options, bytes, DB_AQT_TYPE, DB_AQT_LENGTH);
}

/* The field after a router in which the packet has waited `waited` nanoseconds. */
static DB_INLINE db_u32 db_aqt_delayed(db_u32 micros, db_u64 waited)
{
	db_u64 more = waited / 1000 + (waited % 1000 >= 500);

	return more > 0xffffffffu - micros ? 0xffffffffu : micros + (db_u32)more;
}

#endif
