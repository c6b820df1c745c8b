import { expect, it } from "vitest";
import { themeOf } from "./theme.js";

it("takes a stored theme that it knows, and the system's for anything else", () => {
  expect([themeOf("dark"), themeOf("light"), themeOf("system")]).toEqual(["dark", "light", "system"]);
  expect([themeOf(null), themeOf(""), themeOf("sepia")]).toEqual(["system", "system", "system"]);
});
