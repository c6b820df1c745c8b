import { Ajv2020 } from "ajv/dist/2020.js";
import { type ErrorCode, errorCatalogue } from "#protocol/errors";
import type { HttpAnswer } from "../bad-input/send.js";
import type { Description, FuzzOperation } from "./requests.js";

/** What this cluster lacks and says so: these are answers, not failures. */
const lacking: ErrorCode[] = ["tests_cannot_run", "phone_provider_missing", "no_worker"];
const lackingMessages = lacking.map((code) => new RegExp(`^${errorCatalogue[code].message.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".*")}$`));

/** Compares answers with a description: gives what is wrong with one, or null. */
export function judgeBy(description: Description): (target: FuzzOperation, answer: HttpAnswer) => string | null {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
  ajv.addSchema(description, "description");
  return ({ pattern, method, operation }, { status, headers, body }) => {
    const type = (headers["content-type"] ?? "").split(";")[0] ?? "";
    const shown = `${status} ${type} ${type.startsWith("audio/") ? "" : body.toString("utf8").slice(0, 300)}`;
    if (status >= 500) {
      const { message = "" } = (type === "application/json" ? JSON.parse(body.toString()) : {}) as { message?: string };
      if (!lackingMessages.some((known) => known.test(message))) return `a server error: ${shown}`;
    }
    const response = operation.responses[String(status)];
    if (response === undefined) return `not declared: ${shown}`;
    // Of one status, one message may have no body and another one have one.
    if (body.byteLength === 0) return response.content === undefined || [401, 415].includes(status) ? null : `no body where one is declared: ${shown}`;
    if (response.content?.[type] === undefined) return `a body that is not declared: ${shown}`;
    if (type !== "application/json") return null;
    const steps = ["paths", pattern, method.toLowerCase(), "responses", String(status), "content", type, "schema"];
    const validate = ajv.getSchema(`description#/${steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`);
    if (validate === undefined) return "its schema cannot be read";
    return validate(JSON.parse(body.toString())) === true ? null : `${ajv.errorsText(validate.errors)}: ${shown}`;
  };
}
