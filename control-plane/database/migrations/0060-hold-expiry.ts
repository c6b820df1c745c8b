import type { Migration } from "./migration.js";

/** Holds that nobody settles return by themselves. */
export const holdExpiry: Migration = {
  name: "0060-hold-expiry",
  statements: [
    "ALTER TABLE credit_holds ADD COLUMN expires_at timestamptz, ADD COLUMN expired_at timestamptz",
    "CREATE INDEX credit_holds_due ON credit_holds (expires_at) WHERE closed_at IS NULL AND expires_at IS NOT NULL",
  ],
};
