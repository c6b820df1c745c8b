import { bytesField, type Field, floatField, integerField, message } from "./protobuf.js";

/** Element types of ONNX tensors (onnx.proto, TensorProto.DataType). */
export const elementType = { float32: 1, int64: 7 } as const;

export type Attribute =
  | { name: string; int: number }
  | { name: string; ints: number[] }
  | { name: string; float: number };

/** Builds an ONNX graph node by node; names of values are given by the builder. */
export class GraphBuilder {
  readonly #nodes: Field[] = [];
  readonly #initializers: Field[] = [];
  #count = 0;

  /** Adds a node; gives the name of its output. */
  node(operator: string, inputs: string[], attributes: Attribute[] = [], output = `v${this.#count++}`): string {
    const fields = [
      ...inputs.map((name) => bytesField(1, name)),
      bytesField(2, output),
      bytesField(4, operator),
      ...attributes.map(attributeField),
    ];
    this.#nodes.push(bytesField(1, message(...fields)));
    return output;
  }

  floats(values: number[], shape: number[] = [values.length]): string {
    return this.#tensor(elementType.float32, new Uint8Array(Float32Array.from(values).buffer), shape);
  }

  integers(values: number[], shape: number[] = [values.length]): string {
    return this.#tensor(elementType.int64, new Uint8Array(BigInt64Array.from(values, BigInt).buffer), shape);
  }

  /** The finished model file. `metadata` goes into metadata_props. */
  model(options: {
    inputs: Value[];
    outputs: Value[];
    metadata: Record<string, string>;
    operatorSet: number;
  }): Uint8Array {
    const graph = message(
      ...this.#nodes,
      bytesField(2, "voice"),
      ...this.#initializers,
      ...options.inputs.map((value) => bytesField(11, valueInfo(value))),
      ...options.outputs.map((value) => bytesField(12, valueInfo(value))),
    );
    return message(
      integerField(1, 8),
      bytesField(2, "parley"),
      bytesField(7, graph),
      bytesField(8, message(bytesField(1, ""), integerField(2, options.operatorSet))),
      ...Object.entries(options.metadata).map(([key, value]) =>
        bytesField(14, message(bytesField(1, key), bytesField(2, value))),
      ),
    );
  }

  #tensor(type: number, raw: Uint8Array, shape: number[]): string {
    const name = `c${this.#count++}`;
    const fields = [
      ...shape.map((size) => integerField(1, size)),
      integerField(2, type),
      bytesField(8, name),
      bytesField(9, raw),
    ];
    this.#initializers.push(bytesField(5, message(...fields)));
    return name;
  }
}

/** An input or output; a string in `shape` names a free dimension. */
export interface Value {
  name: string;
  type: number;
  shape: (number | string)[];
}

function valueInfo({ name, type, shape }: Value): Uint8Array {
  const dimensions = shape.map((size) =>
    bytesField(1, typeof size === "number" ? integerField(1, size) : bytesField(2, size)),
  );
  const tensor = message(integerField(1, type), bytesField(2, message(...dimensions)));
  return message(bytesField(1, name), bytesField(2, bytesField(1, tensor)));
}

/** Field numbers and types of AttributeProto. */
function attributeField(attribute: Attribute): Field {
  const name = bytesField(1, attribute.name);
  if ("int" in attribute) return bytesField(5, message(name, integerField(3, attribute.int), integerField(20, 2)));
  if ("float" in attribute) return bytesField(5, message(name, floatField(2, attribute.float), integerField(20, 1)));
  return bytesField(5, message(name, ...attribute.ints.map((value) => integerField(8, value)), integerField(20, 7)));
}
