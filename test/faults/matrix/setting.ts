/**
 * Clusters that cells are run on. `own`: NATS, Redis and the database are the cluster's. `listening`: as
 * `own`, and it transcribes too. `remote`: servers of others,
 * each behind a proxy. `stepped`: as `listening`, and the clock of every role is ours; NATS
 * and Redis keep the machine's, as on machines of their own.
 */
export const settings = ["own", "listening", "remote", "stepped"] as const;
export type Setting = (typeof settings)[number];
