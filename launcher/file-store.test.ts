import { expect, it } from "vitest";
import { fileStoreBytes } from "./file-store.js";

const GIB = 1024 ** 3;

it("lets JetStream have three quarters of what is free or its own already", () => {
  expect(fileStoreBytes({ freeBytes: 8 * GIB, usedBytes: 0 }, null)).toBe(6 * GIB);
  expect(fileStoreBytes({ freeBytes: 4 * GIB, usedBytes: 4 * GIB }, null)).toBe(6 * GIB);
});

it("takes back nothing of what was promised, however full the disk became", () => {
  expect(fileStoreBytes({ freeBytes: 0, usedBytes: 1 * GIB }, 6 * GIB)).toBe(6 * GIB);
  expect(fileStoreBytes({ freeBytes: 16 * GIB, usedBytes: 0 }, 6 * GIB)).toBe(12 * GIB);
});
