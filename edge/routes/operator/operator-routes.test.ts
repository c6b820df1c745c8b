import { describe, expect, it } from "vitest";
import { Membership } from "#common/membership/membership";
import { createMetrics } from "#common/metrics/registry";
import { serve } from "../../http/testing/test-server.js";
import { operatorRoutes } from "./operator-routes.js";

type Settings = Parameters<typeof operatorRoutes>[0]["config"];

async function open(
  settings: Omit<Settings, "LIVEKIT_URL">,
): Promise<(path: string, token?: string) => Promise<{ status: number; body: string }>> {
  const config = { ...settings, LIVEKIT_URL: null };
  const facts = () => ({ members: new Membership(), busConnected: true, draining: false, defaultModels: ["espeak"] });
  const { url } = await serve(operatorRoutes({ id: "e1", facts, metrics: createMetrics("edge"), config }));
  return async (path, token) => {
    const answer = await fetch(
      `${url}${path}`,
      token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    );
    return { status: answer.status, body: await answer.text() };
  };
}

describe("the operator's routes", () => {
  it("tell everybody everything where no token is set", async () => {
    const ask = await open({ PARLEY_OPERATOR_TOKEN: null, PARLEY_PUBLIC_METRICS: "on" });
    expect(JSON.parse((await ask("/health")).body)).toMatchObject({
      status: "degraded",
      id: "e1",
      gateway: "none",
      problems: expect.arrayContaining([expect.stringContaining("control plane")]),
    });
    expect(JSON.parse((await ask("/ready")).body)).toMatchObject({
      ready: false,
      reasons: [expect.any(String), expect.any(String), expect.any(String)],
    });
    expect((await ask("/metrics")).body).toContain("parley_event_loop_stall_seconds");
  });

  it("tell strangers only whether all is well where one is", async () => {
    const ask = await open({ PARLEY_OPERATOR_TOKEN: "operator", PARLEY_PUBLIC_METRICS: "on" });
    for (const token of [undefined, "guess", "operator2"]) {
      expect(await ask("/health", token)).toEqual({ status: 200, body: '{"status":"degraded","draining":false}' });
      expect(await ask("/ready", token)).toEqual({ status: 503, body: '{"ready":false}' });
      expect((await ask("/metrics", token)).status).toBe(401);
    }
    expect(JSON.parse((await ask("/health", "operator")).body)).toMatchObject({ id: "e1" });
    expect((await ask("/metrics", "operator")).status).toBe(200);
  });

  it("leave metrics to a port of their own", async () => {
    const ask = await open({ PARLEY_OPERATOR_TOKEN: null, PARLEY_PUBLIC_METRICS: "off" });
    expect((await ask("/metrics")).status).toBe(404);
  });
});
