import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { buildOpenApi } from "#edge/openapi/document";

interface Operation {
  responses: Record<string, { content?: Record<string, unknown> }>;
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, unknown> } };

/** An answer to be held against a document. */
export interface Exchange {
  method: string;
  /** As it was asked for, without the query. */
  path: string;
  status: number;
  contentType: string | undefined;
  text: string;
}

/** Gives what is wrong with an answer, or null; `unknown` when the document does not have the operation. */
export type CheckExchange = (exchange: Exchange) => string | "unknown" | null;

/** The vendor's openapi.json, which it publishes (https://github.com/fishaudio/docs). */
const VENDOR_DOCUMENT = process.env["TEST_VENDOR_OPENAPI"];

/** Holds answers against our own description: every status must be there, and every body as it says. */
export const checkOwn: CheckExchange = checker(JSON.parse(JSON.stringify(buildOpenApi())) as Document, () => true);

/** Holds answers against the description of the service that this one follows; null where that file is not named. */
export const checkUpstream: CheckExchange | null =
  VENDOR_DOCUMENT === undefined
    ? null
    : checker(adjusted(JSON.parse(readFileSync(VENDOR_DOCUMENT, "utf8")) as Document), isComparable);
if (checkUpstream === null) {
  console.warn("\n!!! TEST_VENDOR_OPENAPI is not set: answers are NOT compared with the vendor's openapi.json. !!!\n");
}

/** Where the vendor's description and its prose differ: a 422 is a list, and numbers can be imported by SIP. */
function adjusted(document: Document): Document {
  const phone = document.components.schemas["PublicPhoneNumberEntity"] as {
    properties: { provider: { enum: string[] } };
  };
  phone.properties.provider.enum.push("sip");
  const inline = JSON.stringify(document).replaceAll(
    '"enum":["livekit","twilio"]',
    '"enum":["livekit","twilio","sip"]',
  );
  return JSON.parse(inline) as Document;
}

/** Statuses that the vendor lists nowhere (413, 415, a scope that is missing) say nothing about a body. */
function isComparable(status: number, documented: readonly string[]): boolean {
  return status < 300 || (status !== 422 && documented.includes(String(status)));
}

function checker(
  document: Document,
  isJudged: (status: number, documented: readonly string[]) => boolean,
): CheckExchange {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  ajv.addSchema(document, "document");
  const paths = Object.keys(document.paths);
  return ({ method, path, status, contentType, text }) => {
    const pattern = paths
      .filter((candidate) => fits(candidate, path))
      .sort((a, b) => a.split("{").length - b.split("{").length)[0];
    const operation = pattern === undefined ? undefined : document.paths[pattern]?.[method.toLowerCase()];
    if (pattern === undefined || operation === undefined) return "unknown";
    if (!isJudged(status, Object.keys(operation.responses))) return null;
    const response = operation.responses[String(status)];
    if (response === undefined) return `${status} is not documented`;
    if (response.content?.["application/json"] === undefined)
      return text === "" ? null : "a body where none is documented";
    // Of one status, one message may have no body (a missing key) and another one have one.
    if (text === "") return status === 401 || status === 415 ? null : "no body where one is documented";
    if (contentType !== "application/json") return `content type ${contentType}`;
    const steps = [
      "paths",
      pattern,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      "application/json",
      "schema",
    ];
    const pointer = steps.map((tx) => encodeURIComponent(tx.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const validate = ajv.getSchema(`document#/${pointer}`);
    if (validate === undefined) return "the schema cannot be read";
    return validate(JSON.parse(text)) === true ? null : ajv.errorsText(validate.errors);
  };
}

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith("{") || part === given[index]);
}
