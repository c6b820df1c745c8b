import { describe, expect, it } from "vitest";
import { systemClock } from "#common/clock";
import type { OutboundRequest } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import type { ToolDefinition } from "#tools/definition";
import { testTool } from "./test-request.js";
import { webhook } from "#tools/testing/definition";

/** The request that a test of this tool sends out. */
async function sentFor(change: Partial<ToolDefinition>): Promise<OutboundRequest | undefined> {
  const sent: OutboundRequest[] = [];
  const outbound = {
    request: async (request: OutboundRequest) => {
      sent.push(request);
      return { status: 200, headers: {}, body: new Uint8Array(), truncated: false, url: request.url };
    },
    checkUrl: async () => undefined,
  };
  const row = {
    ...{ id: "t", teamId: "a", toolType: "webhook" as const, name: "T", nameFolded: "t" },
    definition: webhook(change),
    secrets: {},
    createdAt: new Date(0),
    updatedAt: new Date(0),
  };
  await testTool({ outbound, sealer: createSealer(["k".repeat(32)]), clock: systemClock }, row, { arguments: {} }, 0);
  return sent[0];
}

describe("testTool", () => {
  it.each<[Partial<ToolDefinition>, number]>([
    [{ timeout_seconds: 1 }, 1000],
    [{}, 30_000],
    [{ timeout_seconds: 120 }, 120_000],
    [{ timeout_seconds: 300, execution_mode: "background" }, 300_000],
  ])("waits for the endpoint of a tool with %j for %i ms", async (change, timeoutMs) => {
    expect((await sentFor(change))?.timeoutMs).toBe(timeoutMs);
  });
});
