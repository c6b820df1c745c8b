import type { Migration } from "./migration.js";

/**
 * What is due of each endpoint: the others' work is found without passing what lies there for one that has its share
 * under way.
 */
export const webhookLanes: Migration = {
  name: "0061-webhook-lanes",
  statements: [
    "CREATE INDEX webhook_deliveries_lane ON webhook_deliveries (endpoint, due_at) WHERE status = 'pending' AND due_at IS NOT NULL",
  ],
};
