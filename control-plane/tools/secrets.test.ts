import { describe, expect, it } from "vitest";
import { createSealer } from "#common/secrets/sealer";
import type { ToolHeaderInput } from "#protocol/tools";
import { openCredentials } from "#tools/credentials";
import { splitHeaders } from "./secrets.js";

const sealer = createSealer(["k".repeat(32)]);
const none = { headers: [], secrets: {} };
const bearer = (value: string | null, name = "Authorization"): ToolHeaderInput => ({
  name,
  kind: "authorization_bearer",
  value,
});

describe("splitHeaders", () => {
  it("keeps custom values in the open and seals credentials for their tool and header", () => {
    const split = splitHeaders(
      "t1",
      [{ name: "X-Key", kind: "custom", value: "open" }, bearer("Bearer canary")],
      none,
      sealer,
    );
    expect(split.headers).toEqual([
      { name: "X-Key", kind: "custom", value: "open" },
      { name: "Authorization", kind: "authorization_bearer", value: null },
    ]);
    expect(JSON.stringify(split)).not.toContain("canary");
    expect(openCredentials("t1", split.secrets, sealer)).toEqual({ authorization: "Bearer canary" });
    expect(() => openCredentials("t2", split.secrets, sealer)).toThrow();
  });

  it("keeps a credential that is written back without its value, or with the same one", () => {
    const first = splitHeaders("t1", [bearer("Bearer a")], none, sealer);
    expect(splitHeaders("t1", [bearer(null, "authorization")], first, sealer)).toMatchObject({
      secrets: first.secrets,
      problems: [],
    });
    expect(splitHeaders("t1", [bearer("Bearer a")], first, sealer).secrets).toEqual(first.secrets);
    const rotated = splitHeaders("t1", [bearer("Bearer b")], first, sealer);
    expect(openCredentials("t1", rotated.secrets, sealer)).toEqual({ authorization: "Bearer b" });
    expect(splitHeaders("t1", [], first, sealer).secrets).toEqual({});
  });

  it("keeps a dropped credential dropped until its value is sent", () => {
    const dropped = { headers: splitHeaders("t1", [bearer("Bearer a")], none, sealer).headers, secrets: {} };
    expect(splitHeaders("t1", [bearer(null)], dropped, sealer)).toEqual({ ...dropped, problems: [] });
    expect(openCredentials("t1", splitHeaders("t1", [bearer("Bearer b")], dropped, sealer).secrets, sealer)).toEqual({
      authorization: "Bearer b",
    });
  });

  it("takes a new credential although the old one's key is gone", () => {
    const lost = splitHeaders("t1", [bearer("Bearer a")], none, createSealer(["x".repeat(32)]));
    const rotated = splitHeaders("t1", [bearer("Bearer b")], lost, sealer);
    expect(openCredentials("t1", rotated.secrets, sealer)).toEqual({ authorization: "Bearer b" });
  });

  it.each<[string, ToolHeaderInput]>([
    ["a custom header", { name: "X", kind: "custom", value: null }],
    ["a credential that was never stored", bearer(null, "Other")],
    ["a credential of another kind", { ...bearer(null), kind: "authorization_basic" }],
  ])("asks for the value of %s", (_, header) => {
    const first = splitHeaders("t1", [bearer("Bearer a"), { name: "X", kind: "custom", value: "1" }], none, sealer);
    expect(splitHeaders("t1", [header], first, sealer).problems).toEqual([
      { type: "string_type", loc: ["body", "headers", 0, "value"], msg: "Input should be a valid string" },
    ]);
  });
});
