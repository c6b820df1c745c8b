import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LIBRARY_VERSION } from "./library-logs.js";

const root = join(import.meta.dirname, "../../..");
const dependenciesOf = (folder: string): Record<string, string> =>
  (JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as { dependencies: Record<string, string> })
    .dependencies;

it("is of the library that is installed, and uses the same native half", () => {
  const own = dependenciesOf(".");
  expect(own["@livekit/rtc-node"]).toBe(LIBRARY_VERSION);
  const native = "@livekit/rtc-ffi-bindings";
  expect(own[native]).toBe(dependenciesOf("node_modules/@livekit/rtc-node")[native]);
});
