import type { Migration } from "./migration.js";

/**
 * What a number needs to be bought, rented and released over the death of whoever does it, and which installation the
 * objects of a LiveKit server belong to that several may share.
 */
export const phoneProvisioning: Migration = {
  name: "0120-phone-provisioning",
  statements: [
    "ALTER TABLE phone_numbers ADD COLUMN step text CHECK (step IN ('acquiring', 'checking', 'releasing'))",
    "ALTER TABLE phone_numbers ADD COLUMN due_at timestamptz",
    "ALTER TABLE phone_numbers ADD COLUMN attempt integer NOT NULL DEFAULT 0 CHECK (attempt >= 0)",
    "ALTER TABLE phone_numbers ADD COLUMN provider_id text",
    "ALTER TABLE phone_numbers ADD COLUMN rented_until timestamptz",
    "ALTER TABLE phone_numbers ADD COLUMN sip_secrets jsonb NOT NULL DEFAULT '{}'",
    // No release before this one left any that are being set up.
    "UPDATE phone_numbers SET status = 'error' WHERE status = 'provisioning'",
    "ALTER TABLE phone_numbers ADD CHECK ((step IS NULL) = (due_at IS NULL))",
    "ALTER TABLE phone_numbers ADD CHECK ((status = 'provisioning') = (step IS NOT DISTINCT FROM 'acquiring' OR step IS NOT DISTINCT FROM 'checking'))",
    "CREATE INDEX phone_numbers_due ON phone_numbers (due_at) WHERE step IS NOT NULL",
    "CREATE INDEX phone_numbers_rented ON phone_numbers (rented_until) WHERE rented_until IS NOT NULL",
    `CREATE TABLE phone_gateway (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      installation_id text NOT NULL,
      aligned_by timestamptz NOT NULL
    )`,
    `INSERT INTO phone_gateway (installation_id, aligned_by)
      VALUES (replace(gen_random_uuid()::text, '-', ''), '1970-01-01T00:00:00Z')`,
  ],
};
