import type { Page } from "playwright-core";
import { webhookDeliveryDetail, webhookDeliveryList } from "#protocol/webhooks";

/**
 * Answers for the log of deliveries in the server's place: one that failed, and another one once it was sent again.
 * There are deliveries only after calls; test/webhooks makes the server's own.
 */
export async function showDeliveries(page: Page, agentId: string): Promise<void> {
  const at = "2026-01-31T12:00:00.000Z";
  const attempt = { number: 1, started_at: at, duration_ms: 31, status_code: 500, error: "status 500" };
  const failed = {
    ...{ delivery_id: "d1", event: "call.ended", agent_id: agentId, session_id: "s1" },
    ...{ url: "https://shop.example/calls", status: "failed", attempts: [attempt], redelivery_of: null },
    ...{ created_at: at, finished_at: at },
  };
  const again = {
    ...failed,
    delivery_id: "d2",
    status: "pending",
    attempts: [],
    redelivery_of: "d1",
    finished_at: null,
  };
  const deliveries: unknown[] = [failed];
  await page.route(/\/v1\/agent\/webhook-deliveries/, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (route.request().method() === "POST") {
      deliveries.unshift(again);
      await route.fulfill({ status: 202, json: webhookDeliveryDetail.parse({ ...again, body: "{}" }) });
    } else if (pathname.endsWith("/d1"))
      await route.fulfill({ json: webhookDeliveryDetail.parse({ ...failed, body: '{"event": "call.ended"}' }) });
    else
      await route.fulfill({
        json: webhookDeliveryList.parse({ deliveries, has_more: false, next_cursor: null, total: null }),
      });
  });
}
