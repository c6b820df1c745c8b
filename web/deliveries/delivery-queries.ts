import { queryOptions } from "@tanstack/react-query";
import type { WebhookDeliveryDetail } from "#protocol/webhooks";
import { ask } from "../api/request.js";

/** The log of deliveries. */
export const DELIVERIES = "/v1/agent/webhook-deliveries";

/** Where lists of deliveries are stored in the page. */
export const deliveriesKey = ["deliveries"] as const;

/** A delivery with its body, which never changes. */
export const deliveryQuery = (deliveryId: string) =>
  queryOptions({
    queryKey: ["delivery", deliveryId],
    queryFn: () => ask<WebhookDeliveryDetail>("GET", `${DELIVERIES}/${deliveryId}`),
  });
