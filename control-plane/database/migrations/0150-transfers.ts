import type { Migration } from "./migration.js";

/** To whom the callers of phone calls were transferred. */
export const transfers: Migration = {
  name: "0150-transfers",
  statements: ["ALTER TABLE agent_sessions ADD COLUMN transfers jsonb NOT NULL DEFAULT '[]'"],
};
