import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { createSealer, SealError } from "./sealer.js";
import { openSealer } from "./secret-key.js";

const [oldKey, newKey] = ["a".repeat(32), "b".repeat(64)];
const sealer = createSealer([newKey]);

describe("createSealer", () => {
  it("opens what it sealed, whatever the text, and never twice the same", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (plain, context) => {
        expect(sealer.open(sealer.seal(plain, context), context)).toBe(plain);
      }),
      { numRuns: 100 },
    );
    expect(sealer.seal("x", "c")).not.toBe(sealer.seal("x", "c"));
    expect(sealer.seal("hunter2", "c")).not.toContain("hunter2");
  });

  it("does not open for another record", () => {
    expect(() => sealer.open(sealer.seal("x", "tool:1:a"), "tool:2:a")).toThrow(SealError);
  });

  it("notices every changed character", () => {
    const sealed = sealer.seal("secret", "c");
    for (let at = 0; at < sealed.length - 1; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === "A" ? "B" : "A"}${sealed.slice(at + 1)}`;
      expect(() => sealer.open(changed, "c")).toThrow(SealError);
    }
    for (const nonsense of ["", "v1", "v1.x.y", `${sealed}.z`, sealed.slice(0, 30)])
      expect(() => sealer.open(nonsense, "c")).toThrow(SealError);
  });

  it("knows its own signatures, of that text and that context, by any of its keys", () => {
    const signature = sealer.sign("session 1", "recording");
    expect(signature).toBe(sealer.sign("session 1", "recording"));
    expect(signature).toMatch(/^[\w-]{43}$/);
    expect(sealer.isSigned("session 1", "recording", signature)).toBe(true);
    expect(createSealer([oldKey, newKey]).isSigned("session 1", "recording", signature)).toBe(true);
    expect(createSealer([oldKey]).isSigned("session 1", "recording", signature)).toBe(false);
    expect(sealer.isSigned("session 2", "recording", signature)).toBe(false);
    expect(sealer.isSigned("1", "recording.session ", signature)).toBe(false);
    for (let at = 0; at < signature.length; at++) {
      const changed = `${signature.slice(0, at)}${signature[at] === "A" ? "B" : "A"}${signature.slice(at + 1)}`;
      expect(sealer.isSigned("session 1", "recording", changed)).toBe(false);
    }
    for (const nonsense of ["", "x", `${signature}=`, `${signature}A`, "ü".repeat(43)])
      expect(sealer.isSigned("session 1", "recording", nonsense)).toBe(false);
  });

  it("opens with an old key and seals with the new one", () => {
    const before = createSealer([oldKey]).seal("x", "c");
    const both = createSealer([newKey, oldKey]);
    expect(both.open(before, "c")).toBe("x");
    expect(sealer.open(both.seal("y", "c"), "c")).toBe("y");
    expect(() => sealer.open(before, "c")).toThrow("PARLEY_SECRET_KEY");
  });

  it("refuses short keys and none", () => {
    for (const keys of [[], ["short"], [newKey, ""]]) expect(() => createSealer(keys)).toThrow("PARLEY_SECRET_KEY");
  });
});

describe("openSealer", () => {
  const parent = mkdtempSync(join(tmpdir(), "parley-secret-"));
  const dataDirectory = join(parent, "data");
  afterAll(() => rmSync(parent, { recursive: true }));

  it("makes a key once, readable by its owner only", () => {
    const sealed = openSealer({ secretKey: null, dataDirectory }).seal("x", "c");
    expect(openSealer({ secretKey: null, dataDirectory }).open(sealed, "c")).toBe("x");
    const path = join(dataDirectory, "secret-key");
    expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("takes the keys of the setting, newest first", () => {
    const sealed = createSealer([oldKey]).seal("x", "c");
    expect(openSealer({ secretKey: `${newKey}, ${oldKey}`, dataDirectory }).open(sealed, "c")).toBe("x");
  });
});
