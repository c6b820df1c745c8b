import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Principal } from "#protocol/bus/control";
import {
  type WebhookDeliveryDetail,
  webhookDeliveryDetail,
  webhookDeliveryList,
  webhookWakeSubject,
} from "#protocol/webhooks";
import { enqueueWebhookEvent } from "#control-plane/webhooks/enqueue";
import { engines } from "../control-plane/databases.js";
import { type ServiceFixture, startFixture, testDoors } from "../control-plane/service.js";
import { addTeam } from "../control-plane/teams.js";
import { until } from "../harness/processes.js";
import { type Receiver, startReceiver } from "./receivers.js";
import { someSession, threeEvents } from "./sessions.js";

const LIST = "/v1/agent/webhook-deliveries";

describe.each(engines)("the log of webhook deliveries on %s", { timeout: 60_000 }, (engine) => {
  let fixture: ServiceFixture;
  let receiver: Receiver;
  let team: Principal;
  let other: Principal;
  const session = someSession();

  beforeAll(async () => {
    receiver = await startReceiver((receipt, response, count) => {
      response.writeHead(receipt.path === "/broken" && count <= 3 ? 500 : 200).end();
    });
    fixture = await startFixture(engine, { allow: [receiver.host] });
    [{ principal: team }, { principal: other }] = await Promise.all([addTeam(fixture.db), addTeam(fixture.db)]);
    const { sealer } = testDoors();
    const endpoints = ["/fine", "/broken"].map((path) => ({ url: receiver.url(path), secret: "s" }));
    for (const payload of threeEvents(session)) {
      await fixture.db.transaction((tx) =>
        enqueueWebhookEvent(
          tx,
          { teamId: team.teamId, payload, endpoints, isPreview: false },
          { sealer, now: new Date() },
        ),
      );
    }
    fixture.bus.publish(webhookWakeSubject, {});
    await until(async () => (await list("status=pending")).length === 0, {
      withinMs: 30_000,
      what: "every delivery to end",
    });
  });
  afterAll(async () => {
    await fixture.stop();
    await receiver.close();
  });

  const list = async (query = "", principal = team): Promise<WebhookDeliveryDetail[]> => {
    const { status, json } = await fixture.callJson(principal, "GET", LIST, { query });
    expect(status).toBe(200);
    webhookDeliveryList.parse(json);
    return (json as { deliveries: WebhookDeliveryDetail[] }).deliveries;
  };
  const get = (id: string, principal = team): ReturnType<ServiceFixture["callJson"]> =>
    fixture.callJson(principal, "GET", `${LIST}/${id}`);
  const again = (id: string, principal = team): ReturnType<ServiceFixture["callJson"]> =>
    fixture.callJson(principal, "POST", `${LIST}/${id}/redeliver`);

  it("has every delivery with its attempts", async () => {
    const all = await list();
    expect(all).toHaveLength(6);
    const broken = all.filter(({ url }) => url.endsWith("/broken"));
    expect(broken.map(({ event, status }) => [event, status]).sort()).toEqual([
      ["call.analyzed", "delivered"],
      ["call.ended", "delivered"],
      ["phone_call.dial_finished", "failed"],
    ]);
    const failed = broken.find(({ status }) => status === "failed");
    expect(failed?.attempts.map(({ number, status_code: code, error }) => [number, code, error])).toEqual(
      [1, 2, 3].map((number) => [number, 500, "The endpoint answered 500"]),
    );
    expect(failed).toMatchObject({ session_id: session.id, agent_id: session.agentId, redelivery_of: null });
    expect(JSON.stringify(all)).not.toMatch(/secret|sealed/);
  });

  it("can be filtered and paged", async () => {
    expect(await list("status=failed")).toHaveLength(1);
    expect(await list("event=call.ended")).toHaveLength(2);
    expect(await list(`session_id=${session.id}&agent_id=${session.agentId}&status=delivered`)).toHaveLength(5);
    expect(await list("session_id=nobody")).toEqual([]);
    const first = await fixture.callJson(team, "GET", LIST, { query: "page_size=4&include_total=true" });
    const page = first.json as {
      deliveries: { delivery_id: string }[];
      next_cursor: string;
      has_more: boolean;
      total: number;
    };
    expect(page).toMatchObject({ has_more: true, total: 6 });
    const rest = await list(`page_size=4&cursor=${page.next_cursor}`);
    expect(new Set([...page.deliveries, ...rest].map((delivery) => delivery.delivery_id)).size).toBe(6);
    for (const query of ["cursor=x&page=1", "cursor=nonsense", "page=9000000"]) {
      expect([query, (await fixture.callJson(team, "GET", LIST, { query })).status]).toEqual([query, 400]);
    }
    for (const query of [
      "status=lost",
      "event=call",
      "page_size=0",
      "page_size=101",
      "agent_id=%00",
      "session_id=a%20b",
      `agent_id=${"a".repeat(65)}`,
    ]) {
      expect([query, (await fixture.callJson(team, "GET", LIST, { query })).status]).toEqual([query, 422]);
    }
  });

  it("sends one again on request: the same body, attempts of its own", async () => {
    const [failed] = await list("status=failed");
    const made = await again(failed?.delivery_id ?? "");
    expect(made.status).toBe(202);
    const repeat = webhookDeliveryDetail.parse(made.json);
    expect(repeat).toMatchObject({ redelivery_of: failed?.delivery_id, event: failed?.event, url: failed?.url });
    await until(async () => (await list("status=pending")).length === 0, { withinMs: 10_000, what: "the redelivery" });
    const after = webhookDeliveryDetail.parse((await get(repeat.delivery_id)).json);
    expect(after).toMatchObject({ status: "delivered", attempts: [{ number: 1, status_code: 200, error: null }] });
    const bodies = receiver
      .at("/broken")
      .filter(({ payload }) => payload.event === failed?.event)
      .map(({ body }) => body);
    expect(bodies).toHaveLength(4);
    expect(new Set([...bodies, after.body]).size).toBe(1);
    expect((await get(failed?.delivery_id ?? "")).json).toMatchObject({ status: "failed" });
  });

  it("does not send one again that is still on its way", async () => {
    const { sealer } = testDoors();
    const [payload] = threeEvents(someSession());
    if (payload === undefined) throw new Error("no event");
    // Nobody listens there: it stays pending for six seconds.
    const endpoints = [{ url: "http://127.0.0.1:9/", secret: null }];
    await fixture.db.transaction((tx) =>
      enqueueWebhookEvent(
        tx,
        { teamId: team.teamId, payload, endpoints, isPreview: false },
        { sealer, now: new Date() },
      ),
    );
    const [pending] = await list("status=pending");
    const { status, json } = await again(pending?.delivery_id ?? "");
    expect([status, json]).toEqual([409, { status: 409, message: "This delivery is still being attempted" }]);
  });

  it("answers another team, and nonsense, as what does not exist", async () => {
    const [delivery] = await list("status=delivered");
    const id = delivery?.delivery_id ?? "";
    expect(await list("", other)).toEqual([]);
    for (const [path, principal] of [
      [id, other],
      ["0".repeat(32), team],
      ["%00", team],
      ["x", team],
    ] as const) {
      for (const answer of [await get(path, principal), await again(path, principal)]) {
        expect([path, answer]).toEqual([path, { status: 404, json: { status: 404, message: "Not found" } }]);
      }
    }
    const weak = { ...team, scopes: ["speech"] };
    expect((await get(id, weak)).status).toBe(403);
  });
});
