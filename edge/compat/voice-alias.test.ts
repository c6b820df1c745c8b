import { describe, expect, it } from "vitest";
import { loadConfig } from "#common/config/config";
import { voiceAlias } from "./voice-alias.js";

describe("PARLEY_VOICE_ALIASES", () => {
  const config = loadConfig({ PARLEY_VOICE_ALIASES: "alloy=0123abcd, Rachel = default,nova=" });

  it("maps the names that it lists and no others", () => {
    expect(["alloy", "Rachel", "nova"].map((name) => voiceAlias(config, name))).toEqual(["0123abcd", "default", ""]);
    for (const name of ["rachel", "", "default", "0123abcd", "constructor", "__proto__"])
      expect(voiceAlias(config, name)).toBe(name);
  });

  it("maps nothing unless an operator wants it", () => {
    expect(voiceAlias(loadConfig({}), "alloy")).toBe("alloy");
  });
});
