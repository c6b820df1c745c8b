import type { Migration } from "./migration.js";

/** How long requests took; unknown of those that were booked before. */
export const usageLatencies: Migration = {
  name: "0110-usage-latencies",
  statements: [
    "ALTER TABLE usage_records ADD COLUMN first_audio_ms double precision",
    "ALTER TABLE usage_records ADD COLUMN total_ms double precision",
  ],
};
