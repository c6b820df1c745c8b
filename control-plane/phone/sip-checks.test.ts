import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createOutbound } from "#common/outbound/outbound";
import { sipConfig } from "#protocol/agents/phone";
import { requireTrunk } from "./sip-checks.js";

// Nobody resolves names there.
const outbound = createOutbound({
  ...{ allow: ["10.1.0.0/16", "pbx.office.lan"], log: pino({ level: "silent" }), dnsServers: ["127.0.0.1:1"] },
});
const check = (termination_uri: string): Promise<void> =>
  requireTrunk({ outbound }, sipConfig.parse({ inbound_allowed_addresses: ["203.0.113.1"], termination_uri }), null);

describe("where the calls of a trunk leave to", () => {
  it.each([
    "10.0.0.5",
    "10.0.0.5:5060",
    "127.0.0.1:5061",
    "169.254.169.254",
    "router.lan",
    "a.svc.cluster.local",
  ])("may not be %s: it is private", async (host) => {
    await expect(check(host)).rejects.toMatchObject({
      code: "validation",
      problems: [{ type: "value_error", loc: ["body", "termination_uri"] }],
    });
  });

  it.each([
    "",
    "93.184.216.34",
    "93.184.216.34:5060",
    "10.1.2.3:5060",
    "not-there-yet.example.com:5061",
  ])("may be %j: it is public, the operator's, or not known yet", async (host) => {
    await expect(check(host)).resolves.toBeUndefined();
  });
});
