import type { Migration } from "./migration.js";

/** Usage of conversations, and the agent in whose conversation something was used. */
export const conversationUsage: Migration = {
  name: "0090-conversation-usage",
  statements: [
    "ALTER TABLE usage_records ADD COLUMN conversation_ms bigint NOT NULL DEFAULT 0",
    "ALTER TABLE usage_records ADD COLUMN agent_id text NOT NULL DEFAULT ''",
  ],
};
