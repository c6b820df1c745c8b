import { limits } from "#protocol/limit-table";

/** Shortest and longest reference sample of a voice, in seconds. */
export const MIN_REFERENCE_SECONDS = 1;
export const MAX_REFERENCE_SECONDS = limits.referenceSeconds.most;
