/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* twin NAME: reads records from standard input, writes results to standard output; see twin.h. */
#include <stdio.h>
#include <string.h>

#include "twin.h"

int main(int argc, char **argv)
{
	db_u64 record[DB_RECORD_WORDS], answer[DB_ANSWER_WORDS];

	if (argc != 2)
		return 2;
	while (fread(record, sizeof(record), 1, stdin) == 1) {
		memset(answer, 0, sizeof(answer));
		if (db_twin_step(argv[1], record, answer)) {
			fprintf(stderr, "%s: no such twin or parameter: %.32s\n", argv[1],
				(const char *)(record + 2));
			return 1;
		}
		fwrite(answer, sizeof(answer), 1, stdout);
	}
	return 0;
}
