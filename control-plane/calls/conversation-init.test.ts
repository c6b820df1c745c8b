import { expect, it } from "vitest";
import { agentConfig } from "#protocol/agents/config";
import { createLogger } from "#common/log";
import type { OutboundRequest } from "#common/outbound/outbound";
import { createSealer } from "#common/secrets/sealer";
import { initialVariables } from "./conversation-init.js";

it.each([
  [1, 1000],
  [5, 5000],
  [8, 5000],
])("an endpoint that may take %i s is waited for %i ms: a caller hears it ring meanwhile", async (seconds, waitedMs) => {
  const asked: OutboundRequest[] = [];
  const config = agentConfig.parse({
    webhooks: { conversation_init: { url: "https://example.com/init", secret: null, timeout_seconds: seconds } },
  });
  const variables = await initialVariables(
    {
      outbound: {
        request(request) {
          asked.push(request);
          const body = Buffer.from('{"dynamic_variables": {"name": "Ann"}}');
          return Promise.resolve({ status: 200, headers: {}, body, truncated: false, url: request.url });
        },
      },
      sealer: createSealer(["k".repeat(32)]),
      log: createLogger("test", "silent"),
      now: () => new Date(0),
    },
    { id: "agent-1", name: "Ada" },
    { config, configHash: "sha256:1" },
    { room: "r", phoneNumberId: "n", identity: "i", callerNumber: "+4930123456", dialedNumber: "+4930123457" },
  );
  expect([variables, asked.map(({ timeoutMs }) => timeoutMs)]).toEqual([{ name: "Ann" }, [waitedMs]]);
});
