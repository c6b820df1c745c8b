/** A JSON Schema as far as it is read here. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
  default?: unknown;
}

export type Resolve = (reference: string) => Schema;

/** Bytes: in a body they are what its media type makes of them. */
export const isBinary = ({ format, contentEncoding }: Schema): boolean =>
  format === "binary" || contentEncoding === "base64";
