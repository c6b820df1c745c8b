import { CANARY, type Case, error, type HttpCase } from "./case.js";
import { httpCase } from "./requests.js";

const nobody = "f".repeat(32);
const FILE = `/v1/recordings/${nobody}/agent`;
const lost = error("recording_not_found");
const missing = error("not_found");

const get = (name: string, path: string, more: Partial<HttpCase> = {}): HttpCase =>
  httpCase(name, { method: "GET", path, headers: { authorization: "" }, expected: lost, ...more });

/** A signature of the right form, of nobody's. */
const signature = "A".repeat(43);
const inTime = String(4_102_444_800);

/** Addresses that the service did not make. */
function addressCases(): Case[] {
  const of = (name: string, query: string, more: Partial<HttpCase> = {}): HttpCase =>
    get(`download ${name}`, `${FILE}${query}`, more);
  const expiries = ["", "0", "-1", "1", "1.5", "Infinity", "NaN", "9".repeat(400), "soon", "%00", "0x7fffffff", CANARY];
  const signatures = ["", "x", "%00", "%ff", "=", "a".repeat(5000), "A".repeat(42), "../..", CANARY, "%F0%9F%99%82"];
  const ranges = [
    "bytes=0-1",
    "bytes=-1",
    "bytes=5-1",
    "bytes=0-1,3-4",
    "seconds=0-1",
    "bytes=9999999999999999999-",
    CANARY,
  ];
  return [
    of("with no query", ""),
    of("with an expiry alone", `?expires=${inTime}`),
    of("with a signature alone", `?signature=${signature}`),
    of("with both", `?expires=${inTime}&signature=${signature}`),
    of("with a key as well", `?expires=${inTime}&signature=${signature}`, { headers: {} }),
    of("with both twice", `?expires=1&expires=${inTime}&signature=x&signature=${signature}`),
    of("with other names", `?Expires=${inTime}&Signature=${signature}`),
    of("as an address of S3", `?X-Amz-Expires=900&X-Amz-Signature=${"0".repeat(64)}`),
    of("with unknown parameters", `?expires=${inTime}&signature=${signature}&role=user&${CANARY}=1`),
    ...expiries.map((value) => of(`until ${value.slice(0, 20)}`, `?expires=${value}&signature=${signature}`)),
    ...signatures.map((value) => of(`signed ${value.slice(0, 20)}`, `?expires=${inTime}&signature=${value}`)),
    ...ranges.map((range) =>
      of(`in the range ${range}`, `?expires=${inTime}&signature=${signature}`, {
        headers: { authorization: "", range },
      }),
    ),
    of("if it is still the same", `?expires=${inTime}&signature=${signature}`, {
      headers: { authorization: "", "if-range": `"${nobody}-agent"`, range: "bytes=0-1" },
    }),
    httpCase("HEAD of a download", { method: "HEAD", path: FILE, headers: { authorization: "" }, expected: lost }),
    ...["user", "human", "Agent", "agent.ogg", "0", "%00", "..%2fuser", CANARY].map((role) =>
      get(`download of the role ${role}`, `/v1/recordings/${nobody}/${role}?expires=${inTime}&signature=${signature}`),
    ),
    ...["x", "%00", "%20", "..%2f..", "f".repeat(300), "%F0%9F%99%82", "{voice}"].map((id) =>
      get(
        `download of the session ${id.slice(0, 20)}`,
        `/v1/recordings/${id}/agent?expires=${inTime}&signature=${signature}`,
      ),
    ),
    ...["/v1/recordings", `/v1/recordings/${nobody}`, `${FILE}/0`, `${FILE}//`, "/v1/recordings//agent"].map((path) =>
      get(`nothing at ${path}`, path, { expected: missing }),
    ),
    ...["POST", "PUT", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of a download`, { method, path: FILE, expected: error("method_not_allowed") }),
    ),
  ];
}

/** What a recording is. */
function entityCases(): Case[] {
  const of = (id: string): string => `/v1/agent/sessions/${id}/recording`;
  const ids = [nobody, "x", "%00", "..%2f..%2fetc", "f".repeat(33), "f".repeat(300), "{voice}", "%F0%9F%99%82", CANARY];
  const key = { headers: {} };
  return [
    ...ids.map((id) => get(`recording of ${id.slice(0, 20)} of ${id.length}`, of(id), { ...key, expected: missing })),
    ...["POST", "PUT", "PATCH", "DELETE"].map((method) =>
      httpCase(`${method} of a recording`, { method, path: of(nobody), expected: error("method_not_allowed") }),
    ),
    get("recording with parameters", `${of(nobody)}?expires=1&${CANARY}=1`, { ...key, expected: missing }),
    ...["agent", "user", "tracks"].map((part) =>
      get(`the ${part} of a recording`, `${of(nobody)}/${part}`, { ...key, expected: missing }),
    ),
    get("recordings of a session", `/v1/agent/sessions/${nobody}/recordings`, { ...key, expected: missing }),
    get("recording without a key", of(nobody), { expected: error("unauthenticated") }),
    get("recording with a wrong key", of(nobody), {
      ...{ headers: { authorization: "Bearer pk_wrong" }, expected: error("invalid_token") },
    }),
    get("recording from a page without a key", of(nobody), {
      ...{ headers: { authorization: "", origin: "https://shop.example" }, expected: error("unauthenticated") },
    }),
  ];
}

export function recordingRequestCases(): Case[] {
  return [...addressCases(), ...entityCases()];
}
