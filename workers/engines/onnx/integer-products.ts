import { existsSync, readFileSync } from "node:fs";

const CPU_INFO = "/proc/cpuinfo";
/** Linux' names of what sums products of 8-bit integers in 32 bits (VNNI of AVX-512 and of AVX2, AMX). */
const X86_FLAGS = /\b(avx512_vnni|avx_vnni|amx_int8)\b/;

let known: boolean | undefined;

/** Whether this machine's processor sums products of signed and unsigned 8-bit integers exactly; see `hasExactSums`. */
export function sumsExactly(): boolean {
  known ??= hasExactSums(process.arch, existsSync(CPU_INFO) ? readFileSync(CPU_INFO, "utf8") : "");
  return known;
}

/**
 * Whether a processor sums products of 8-bit integers in 32 bits, by one instruction. An x86 processor without it sums
 * pairs in 16 bits, which overflow: there onnxruntime must be told to widen all numbers first, which is slower and gives
 * the same sums. `cpuInfo` is Linux' `/proc/cpuinfo`, empty elsewhere.
 */
export function hasExactSums(arch: string, cpuInfo: string): boolean {
  return arch !== "x64" || X86_FLAGS.test(cpuInfo);
}
