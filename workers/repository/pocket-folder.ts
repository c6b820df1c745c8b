import { readdirSync } from "node:fs";

/** Graphs of Pocket TTS by their names without ends, which are the names of their roles too. */
const graphs = ["lm_main", "lm_flow", "encoder", "decoder", "text_conditioner"] as const;

/** The tokenizer's files. */
const tokenizer = { vocab: "vocab.json", token_scores: "token_scores.json" } as const;

/**
 * Tells a folder of Pocket TTS as sherpa-onnx's releases pack it: five graphs, `.onnx` or else `.int8.onnx` each, and the
 * tokenizer's two JSON files. Gives the manifest's `files`, a reason why they are not all there, or null for another
 * kind of folder.
 */
export function describePocketFolder(
  folder: string,
): { files: Record<string, { path: string }> } | { problem: string } | null {
  const names = new Set(readdirSync(folder));
  // Encoders and decoders have others too: these two are of this layout alone.
  if (![...names].some((name) => /^lm_(?:main|flow)\.(?:int8\.)?onnx$/.test(name))) return null;
  const found = [
    ...graphs.map((role) => [role, [`${role}.onnx`, `${role}.int8.onnx`].find((name) => names.has(name))] as const),
    ...Object.entries(tokenizer).map(([role, name]) => [role, names.has(name) ? name : undefined] as const),
  ];
  const missing = found
    .filter(([, path]) => path === undefined)
    .map(([role]) => (role in tokenizer ? tokenizer[role as keyof typeof tokenizer] : `${role}.onnx`));
  if (missing.length > 0) return { problem: `holds graphs of Pocket TTS, but no ${missing.join(", ")}` };
  return { files: Object.fromEntries(found.map(([role, path]) => [role, { path: path ?? "" }])) };
}
