const MIB = 1024 * 1024;

/**
 * What stays free for the embedded database when everything else has filled the disk, bytes. Postgres writes its log in
 * segments of 16 MiB, and gives up when it cannot begin the next: before that, it is not asked to write any more.
 */
export const WRITE_RESERVE_BYTES = 32 * MIB;

/** What must be free for a new embedded database, bytes: it takes 40 MiB, and must be able to write then. */
export const NEW_DATABASE_BYTES = 80 * MIB;
