import { webhookDeliveryDetail, webhookDeliveryList, webhookDeliveryListQuery } from "../webhooks.js";
import { authentication, json, pagingErrors, type Operation } from "./operation.js";

/** The log of webhook deliveries. */
export const webhookOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/v1/agent/webhook-deliveries",
    tag: "Agents",
    scope: "agents",
    summary: "List webhook deliveries",
    description:
      "One for each event and endpoint, with its attempts, newest first; kept for 30 days. Filters go together.",
    query: webhookDeliveryListQuery,
    success: { status: 200, description: "One page of deliveries.", mediaTypes: json, schema: webhookDeliveryList },
    errors: [...authentication, ...pagingErrors],
    curl: "-G -d status=failed",
  },
  {
    method: "GET",
    path: "/v1/agent/webhook-deliveries/:delivery_id",
    tag: "Agents",
    scope: "agents",
    summary: "Show a webhook delivery",
    description: "With the body that is sent, to the byte.",
    success: { status: 200, description: "The delivery.", mediaTypes: json, schema: webhookDeliveryDetail },
    errors: [...authentication, "not_found"],
    curl: "",
  },
  {
    method: "POST",
    path: "/v1/agent/webhook-deliveries/:delivery_id/redeliver",
    tag: "Agents",
    scope: "agents",
    summary: "Send a webhook again",
    description:
      "The same body to the same endpoint, signed anew, with three attempts of its own. Refused while the first delivery is still being attempted.",
    success: { status: 202, description: "The new delivery.", mediaTypes: json, schema: webhookDeliveryDetail },
    errors: [...authentication, "not_found", "conflict"],
    curl: "-X POST",
  },
];
