import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type ErrorCode, errorCatalogue } from "#protocol/errors";
import type { HttpAnswer } from "../bad-input/send.js";
import type { Description, FuzzOperation } from "./description.js";
import { withBase64 } from "./encode.js";
import type { Schema } from "./schema.js";

/** What a request must meet besides an answer that the description has. */
export type Expectation =
  | { kind: "any" }
  /** It must not succeed. */
  | { kind: "refused" }
  /** The media type is none of the operation's: 415, or a refusal from before the body was looked at. */
  | { kind: "unsupported" }
  /**
   * What lies at this place of the body or query is within its declared bounds: that must not be what it is refused
   * for.
   */
  | { kind: "in-bounds"; loc: (string | number)[] };

/** What a cluster of tests lacks and says so: these are answers, not failures. */
const lacking: ErrorCode[] = [
  "tests_cannot_run",
  "phone_provider_missing",
  "phone_provider_failed",
  "no_worker",
  "agent_gateway_unreachable",
  "no_agent_runtime",
];
const lackingMessages = lacking.map(
  (code) =>
    new RegExp(`^${errorCatalogue[code].message.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".*")}$`),
);

const boundProblems = [
  "string_too_long",
  "string_too_short",
  "too_long",
  "too_short",
  "less_than_equal",
  "greater_than_equal",
  "less_than",
  "greater_than",
];

/** Says what is wrong with an answer, or null. */
export type Judge = (target: FuzzOperation, answer: HttpAnswer, expectation: Expectation) => string | null;

/** Holds answers, and values that are sent, against a description. */
export function judgeBy(description: Description): {
  judge: Judge;
  fits: (target: FuzzOperation, mediaType: string, value: unknown) => boolean;
  fitsAlone: (schema: Schema, value: unknown) => boolean;
} {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
  ajv.addFormat("binary", true);
  for (const format of ["ipv4", "ipv6", "cidrv4", "cidrv6"]) ajv.addFormat(format, true);
  ajv.addSchema(description, "description");
  const at = (...steps: string[]): ValidateFunction | undefined =>
    ajv.getSchema(
      `description#/${steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`,
    );
  const pathOf = ({ pattern, method }: FuzzOperation): string[] => ["paths", pattern, method.toLowerCase()];

  const shapeOf = (target: FuzzOperation, { status, headers, body }: HttpAnswer): string | null => {
    const type = typeOf(headers);
    const response = target.operation.responses[String(status)];
    if (response === undefined) return "not declared";
    // Of one status, one message may have no body and another one have one.
    if (body.byteLength === 0)
      return response.content === undefined || [401, 415].includes(status) ? null : "no body where one is declared";
    if (response.content?.[type] === undefined) return "a body that is not declared";
    if (type !== "application/json") return null;
    const validate = at(...pathOf(target), "responses", String(status), "content", type, "schema");
    if (validate === undefined) return "its schema cannot be read";
    return validate(JSON.parse(body.toString())) === true ? null : ajv.errorsText(validate.errors);
  };
  return {
    judge(target, answer, expectation) {
      const finding = serverError(answer) ?? shapeOf(target, answer) ?? unexpected(answer, expectation);
      return finding === null ? null : `${finding}: ${shown(answer)}`;
    },
    fits: (target, mediaType, value) =>
      at(...pathOf(target), "requestBody", "content", mediaType, "schema")?.(withBase64(value)) === true,
    fitsAlone: (schema, value) => ajv.validate(schema, value),
  };
}

function serverError(answer: HttpAnswer): string | null {
  if (answer.status < 500) return null;
  const { message = "" } = (
    typeOf(answer.headers) === "application/json" ? JSON.parse(answer.body.toString()) : {}
  ) as { message?: string };
  return lackingMessages.some((known) => known.test(message)) ? null : "a server error";
}

function unexpected({ status, body }: HttpAnswer, expectation: Expectation): string | null {
  switch (expectation.kind) {
    case "any":
      return null;
    case "refused":
      return status < 400 ? "it should have been refused" : null;
    case "unsupported":
      if (status === 422)
        return problemsOf(body).every(({ loc }) => loc[0] === "path")
          ? null
          : "an unsupported media type was looked into";
      return [401, 402, 403, 404, 409, 415].includes(status) ? null : "an unsupported media type was taken";
    case "in-bounds": {
      if (status !== 422) return null;
      const isThere = (loc: (string | number)[]): boolean => loc.slice(1).join("/") === expectation.loc.join("/");
      return problemsOf(body).some(({ type, loc }) => boundProblems.includes(type) && isThere(loc))
        ? "refused within its bounds"
        : null;
    }
  }
}

function problemsOf(body: Buffer): { type: string; loc: (string | number)[] }[] {
  return JSON.parse(body.toString()) as { type: string; loc: (string | number)[] }[];
}

function typeOf(headers: HttpAnswer["headers"]): string {
  return (headers["content-type"] ?? "").split(";")[0] ?? "";
}

function shown({ status, headers, body }: HttpAnswer): string {
  const type = typeOf(headers);
  return `${status} ${type} ${type.startsWith("audio/") ? "" : body.toString("utf8").slice(0, 300)}`;
}
