/**
 * Ends of the graphs' names by what the weights are, in the order of preference; half precision last, as some of its
 * graphs also give it.
 */
const variants = ["", "_quantized", "_int8", "_uint8", "_q8", "_q4", "_bnb4", "_fp16", "_uint8f16", "_q8f16", "_q4f16"];

/**
 * The file of a graph that a folder in Hugging Face's layout has in several precisions; undefined where it has none.
 */
export function pickGraph(names: ReadonlySet<string>, stem: string): string | undefined {
  return variants.map((variant) => `${stem}${variant}.onnx`).find((name) => names.has(name));
}
