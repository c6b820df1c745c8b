import type { Schema } from "./schema.js";

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  schema: Schema;
}

export interface DescribedResponse {
  content?: Record<string, { schema: Schema }>;
}

export interface DescribedOperation {
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, DescribedResponse>;
  security?: Record<string, unknown>[];
}

/** Our own description, as `/openapi.json` gives it. */
export interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema> };
}

export interface FuzzOperation {
  method: string;
  pattern: string;
  operation: DescribedOperation;
}

/** Every operation: those that make something first, so that the others find it. */
export function operationsOf(description: Description): FuzzOperation[] {
  const all = Object.entries(description.paths).flatMap(([pattern, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), pattern, operation })),
  );
  const makes = ({ method, pattern }: FuzzOperation): boolean => method === "POST" && !pattern.includes("{");
  return all.toSorted((a, b) => Number(makes(b)) - Number(makes(a)));
}

/** The media types of an operation's body; none where it takes none. */
export function mediaTypesOf({ operation }: FuzzOperation): string[] {
  return Object.keys(operation.requestBody?.content ?? {});
}

/** The schema of an operation's body in one media type. */
export function bodySchema({ operation }: FuzzOperation, mediaType: string): Schema {
  return operation.requestBody?.content[mediaType]?.schema ?? {};
}
