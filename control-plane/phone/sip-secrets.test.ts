import { describe, expect, it } from "vitest";
import { createSealer } from "#common/secrets/sealer";
import { sipConfig } from "#protocol/agents/phone";
import { openPasswords, sealPasswords, withoutPasswords } from "./sip-secrets.js";

const sealer = createSealer(["a key of a test, long enough for one"]);
const config = (fields: object) => sipConfig.parse(fields);
const both = config({
  ...{ inbound_auth_username: "in", inbound_auth_password: "one" },
  ...{ termination_uri: "a.example", termination_auth_username: "out", termination_auth_password: "two" },
});

describe("the passwords of a trunk", () => {
  const first = sealPasswords(sealer, "p1", both, {});

  it("are sealed for their number, and nothing else shows them", () => {
    expect(openPasswords(sealer, { id: "p1", sipSecrets: first })).toEqual({ inbound: "one", termination: "two" });
    expect(() => openPasswords(sealer, { id: "p2", sipSecrets: first })).toThrow("belongs elsewhere");
    expect(JSON.stringify([first, withoutPasswords(both)])).not.toMatch(/"one"|"two"/);
  });

  it("stay where an empty one is sent, and go with their user name", () => {
    const kept = sealPasswords(sealer, "p1", config({ inbound_auth_username: "other" }), first);
    expect(kept).toEqual({ inbound: first.inbound });
    const changed = sealPasswords(
      sealer,
      "p1",
      config({ inbound_auth_username: "in", inbound_auth_password: "new" }),
      first,
    );
    expect(openPasswords(sealer, { id: "p1", sipSecrets: changed })).toEqual({ inbound: "new", termination: "" });
  });
});
