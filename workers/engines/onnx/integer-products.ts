import { existsSync, readFileSync } from "node:fs";

const CPU_INFO = "/proc/cpuinfo";
/** Linux' names of what sums products of 8-bit integers in one instruction (VNNI of AVX-512 and of AVX2, AMX). */
const X86_FLAGS = /\b(avx512_vnni|avx_vnni|amx_int8)\b/;

let known: boolean | undefined;

/** Whether graphs of 8-bit integers are worth running on this machine's processor; see `sumsInOneInstruction`. */
export function multipliesIntegers(): boolean {
  known ??= sumsInOneInstruction(process.arch, existsSync(CPU_INFO) ? readFileSync(CPU_INFO, "utf8") : "");
  return known;
}

/**
 * Whether a processor multiplies and sums 8-bit integers in one instruction, into 32 bits. On x86 without it
 * onnxruntime sums pairs in 16 bits, which overflow, or widens everything first, which is hardly faster than floats.
 * Arm's 64-bit processors sum in 32 bits, the older ones in more than one instruction. `cpuInfo` is Linux' `/proc/cpuinfo`, empty elsewhere.
 */
export function sumsInOneInstruction(arch: string, cpuInfo: string): boolean {
  return arch === "arm64" || X86_FLAGS.test(cpuInfo);
}
