import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Why a request is refused, as S3 says it. */
export interface Refusal {
  status: number;
  code: string;
}

export interface SignedRequest {
  method: string;
  /** Path and query as they were sent. */
  target: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array;
}

const MAX_SKEW_MS = 15 * 60_000;

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Uint8Array, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** RFC 3986: everything but unreserved characters in capitals. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function pairsOf(query: string): [string, string][] {
  return query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const at = pair.includes("=") ? pair.indexOf("=") : pair.length;
      return [decodeURIComponent(pair.slice(0, at)), decodeURIComponent(pair.slice(at + 1))];
    });
}

const moment = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/**
 * Judges a request by its signature, in its headers or its query, as Amazon's "Authenticating Requests (AWS Signature
 * Version 4)" has it; null where it is right. Shares nothing with the client.
 */
export function judgeSignature(
  request: SignedRequest,
  key: { id: string; secret: string; region: string },
  now: Date,
): Refusal | null {
  const [path = "", query = ""] = request.target.split("?");
  const pairs = pairsOf(query);
  const inQuery = new Map(pairs).get("X-Amz-Signature") !== undefined;
  const given = inQuery ? fromQuery(new Map(pairs)) : fromHeaders(request);
  if (given === null) return { status: 403, code: "AccessDenied" };
  const { credential, signedHeaders, signature, date, payload } = given;
  const [id, day, region, service, end] = credential.split("/");
  if (id !== key.id) return { status: 403, code: "InvalidAccessKeyId" };
  if (region !== key.region || service !== "s3" || end !== "aws4_request" || day !== date.slice(0, 8))
    return { status: 400, code: "AuthorizationHeaderMalformed" };
  const ageMs = now.getTime() - moment(date).getTime();
  if (Number.isNaN(ageMs) || ageMs < -MAX_SKEW_MS) return { status: 403, code: "RequestTimeTooSkewed" };
  if (given.expiresSeconds === null ? ageMs > MAX_SKEW_MS : ageMs > given.expiresSeconds * 1000)
    return { status: 403, code: given.expiresSeconds === null ? "RequestTimeTooSkewed" : "AccessDenied" };
  if (payload !== "UNSIGNED-PAYLOAD" && payload !== sha256(request.body))
    return { status: 400, code: "XAmzContentSHA256Mismatch" };
  const names = signedHeaders.split(";");
  if (!names.includes("host")) return { status: 403, code: "AccessDenied" };
  const canonical = [
    request.method,
    path.split("/").map(decodeURIComponent).map(encode).join("/"),
    pairs
      .filter(([name]) => name !== "X-Amz-Signature")
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .sort()
      .join("&"),
    ...names.map((name) => `${name}:${String(request.headers[name] ?? "").trim()}`),
    "",
    signedHeaders,
    payload,
  ].join("\n");
  const scope = [day, region, service, end].join("/");
  const toSign = ["AWS4-HMAC-SHA256", date, scope, sha256(canonical)].join("\n");
  const signingKey = [day, region, service, end].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part ?? ""),
    `AWS4${key.secret}`,
  );
  const right = hmac(signingKey, toSign);
  const claimed = Buffer.from(signature, "hex");
  return claimed.length === right.length && timingSafeEqual(claimed, right)
    ? null
    : { status: 403, code: "SignatureDoesNotMatch" };
}

interface Given {
  credential: string;
  signedHeaders: string;
  signature: string;
  date: string;
  payload: string;
  expiresSeconds: number | null;
}

function fromQuery(query: ReadonlyMap<string, string>): Given | null {
  const expiresSeconds = Number(query.get("X-Amz-Expires"));
  if (query.get("X-Amz-Algorithm") !== "AWS4-HMAC-SHA256" || !(expiresSeconds >= 1 && expiresSeconds <= 604_800))
    return null;
  return {
    credential: query.get("X-Amz-Credential") ?? "",
    signedHeaders: query.get("X-Amz-SignedHeaders") ?? "",
    signature: query.get("X-Amz-Signature") ?? "",
    date: query.get("X-Amz-Date") ?? "",
    payload: "UNSIGNED-PAYLOAD",
    expiresSeconds,
  };
}

function fromHeaders({ headers }: SignedRequest): Given | null {
  const parsed = /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/.exec(
    String(headers["authorization"] ?? ""),
  );
  if (parsed === null) return null;
  const [, credential = "", signedHeaders = "", signature = ""] = parsed;
  const payload = String(headers["x-amz-content-sha256"] ?? "");
  return { credential, signedHeaders, signature, date: String(headers["x-amz-date"]), payload, expiresSeconds: null };
}
