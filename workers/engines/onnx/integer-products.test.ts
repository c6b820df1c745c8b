import { expect, it } from "vitest";
import { hasExactSums } from "./integer-products.js";

const flags = (...names: string[]): string => `processor\t: 0\nflags\t\t: fpu sse2 avx2 ${names.join(" ")}\n`;

it.each([
  ["x64", flags("avx512f", "avx512_vnni"), true],
  ["x64", flags("avx_vnni"), true],
  ["x64", flags("amx_int8"), true],
  ["x64", flags("avx512f", "avx512_vnni_like"), false],
  ["x64", flags(), false],
  ["x64", "", false],
  ["arm64", "", true],
])("knows which processors sum 8-bit products without overflow: %s, %j", (arch, cpuInfo, expected) => {
  expect(hasExactSums(arch, cpuInfo)).toBe(expected);
});
