import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planOf } from "../testing/plan.js";
import { fillVariables, systemValues } from "./variables.js";

const plan = planOf({
  dynamicVariables: { name: "Grace", nested: "{{name}} {{system.today}}", empty: "", constructor2: "x" },
  timezone: "Asia/Tokyo",
  system: { caller_number: "+4930123", channel: "phone_inbound" },
});

describe("fillVariables", () => {
  it.each([
    ["Hello {{name}}, {{ name }}!", "Hello Grace, Grace!"],
    ["{{unknown}} {{ unknown }} {{Name}}", "{{unknown}} {{ unknown }} {{Name}}"],
    ["{{nested}}", "{{name}} {{system.today}}"],
    ["[{{empty}}]", "[]"],
    ["{{system.caller_number}}, {{system.dialed_number}}, {{system.channel}}", "+4930123, , phone_inbound"],
    ["{{system.timezone}} {{system.language}} {{ system.today }}", "Asia/Tokyo en 2026-11-23"],
    ["{{system.secret}} {{system.}} {{system}}", "{{system.secret}} {{system.}} {{system}}"],
    ["{{constructor}} {{__proto__}} {{toString}}", "{{constructor}} {{__proto__}} {{toString}}"],
    ["{name} {{{name}}} {{}} {{na{me}}", "{name} {Grace} {{}} {{na{me}}"],
    ["{{name", "{{name"],
  ])("%s", (text, filled) => {
    expect(fillVariables(text, plan)).toBe(filled);
  });

  it("takes values as data, whatever they hold", () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: "binary" }), (value, around) => {
        const text = around.replace(/[{}]/g, "");
        const filled = fillVariables(`${text}{{v}}${text}`, planOf({ dynamicVariables: { v: value, x: "wrong" } }));
        expect(filled).toBe(`${text}${value}${text}`);
      }),
    );
  });
});

describe("systemValues", () => {
  it("gives what the plan gives, and what it implies for the rest", () => {
    expect(systemValues(planOf())).toEqual({
      channel: "web_voice",
      timezone: "UTC",
      today: "2026-11-22",
      language: "en",
    });
    expect(systemValues(planOf({ timezone: "Mars/Olympus" })).timezone).toBe("UTC");
    expect(systemValues(planOf({ system: { today: "1999-12-31" } })).today).toBe("1999-12-31");
  });
});
