import { elementType, type GraphBuilder, type Value } from "../../onnx/testing/graph.js";

/** Heads of the attention of a made-up decoder of one layer. */
export interface CacheShape {
  heads: number;
  headSize: number;
}

const BOOLEAN = 9;
const { float32, int64 } = elementType;

/**
 * The caches of a decoder of some kilobytes with the inputs and outputs of a merged one, as Hugging Face's exporter
 * writes it: the text's grows by a row of ones with each token, the audio's is made in the first call. Who does not pass
 * them on as they should be gets nonsense.
 */
export class CachedDecoder {
  readonly #g: GraphBuilder;
  readonly #shape: CacheShape;
  /** How many tokens are new, int64 [1]. */
  readonly #width: string;

  constructor(g: GraphBuilder, shape: CacheShape) {
    this.#g = g;
    this.#shape = shape;
    this.#width = g.node("Slice", [g.node("Shape", ["input_ids"]), g.integers([1]), g.integers([2])]);
  }

  /** `to` is an ONNX element type. */
  cast(value: string, to: number): string {
    return this.#g.node("Cast", [value], [{ name: "to", int: to }]);
  }

  /** The values one behind the other along an axis. */
  concat(values: string[], axis: number, output?: string): string {
    return this.#g.node("Concat", values, [{ name: "axis", int: axis }], output);
  }

  /** Tokens so far, those of this call with them: float32 without a dimension. */
  tokens(): string {
    const g = this.#g;
    const { heads, headSize } = this.#shape;
    const size = this.concat([g.integers([1, heads]), this.#width, g.integers([headSize])], 0);
    const ones = g.node("Expand", [g.floats([1], [1, 1, 1, 1]), size]);
    this.concat(["past_key_values.0.decoder.key", ones], 2, "present.0.decoder.key");
    this.concat(["past_key_values.0.decoder.value", ones], 2, "present.0.decoder.value");
    const all = ["present.0.decoder.key", g.integers([0, 1, 2, 3])];
    return g.node("Div", [g.node("ReduceSum", all, [{ name: "keepdims", int: 0 }]), g.floats([heads * headSize], [])]);
  }

  /** What the encoder gave of so many frames (int64 [1]), out of the cache: float32 [frames, heads × head size]. */
  audio(frames: string): string {
    const g = this.#g;
    const { heads, headSize } = this.#shape;
    const turned = (value: string, output?: string): string =>
      g.node("Transpose", [value], [{ name: "perm", ints: [0, 2, 1, 3] }], output);
    const isFirst = g.node("Sub", [g.integers([1]), this.cast("use_cache_branch", int64)]);
    const made = g.node("Mul", [isFirst, frames]);
    const kept = g.node("Slice", ["encoder_hidden_states", g.integers([0]), made, g.integers([1])]);
    const byHead = g.node("Reshape", [kept, g.integers([1, -1, heads, headSize])]);
    const own = turned(byHead, "present.0.encoder.key");
    g.node("Identity", [own], [], "present.0.encoder.value");
    const all = turned(this.concat(["past_key_values.0.encoder.key", own], 2));
    return g.node("Reshape", [all, g.integers([-1, heads * headSize])]);
  }

  /** The file; `scores` is float32 [1, size], the same for each of the new tokens. */
  model(scores: string, size: number, operatorSet: number): Uint8Array {
    const g = this.#g;
    const { heads, headSize } = this.#shape;
    g.node(
      "Expand",
      [
        g.node("Unsqueeze", [scores, g.integers([0])]),
        this.concat([g.integers([1]), this.#width, g.integers([size])], 0),
      ],
      [],
      "logits",
    );
    const frames = { name: "encoder_hidden_states", type: float32 };
    return g.model({
      operatorSet,
      inputs: [
        { name: "input_ids", type: int64, shape: ["batch_size", "decoder_sequence_length"] },
        { ...frames, shape: ["batch_size", "encoder_sequence_length", heads * headSize] },
        ...this.#cache("past_key_values", "past"),
        { name: "use_cache_branch", type: BOOLEAN, shape: [1] },
      ],
      outputs: [
        { name: "logits", type: float32, shape: ["batch_size", "decoder_sequence_length", size] },
        ...this.#cache("present", "present"),
      ],
      metadata: {},
    });
  }

  #cache(prefix: string, time: string): Value[] {
    return ["decoder.key", "decoder.value", "encoder.key", "encoder.value"].map((part) => ({
      name: `${prefix}.0.${part}`,
      type: float32,
      shape: ["batch_size", this.#shape.heads, `${time}_${part.split(".")[0]}`, this.#shape.headSize],
    }));
  }
}
