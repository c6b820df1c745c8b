import { createHash } from "node:crypto";

/** Who calls, to those that ask. */
export interface Credentials {
  username: string;
  password: string;
}

/** What is asked in a challenge, or said in an answer to one: `Digest realm="…", nonce="…"`. */
export type DigestParameters = Readonly<Record<string, string>>;

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");

export function parseDigest(header: string): DigestParameters {
  const found: Record<string, string> = {};
  for (const part of header.slice(header.indexOf(" ") + 1).split(",")) {
    const equals = part.indexOf("=");
    const value = part.slice(equals + 1).trim();
    if (equals > 0) found[part.slice(0, equals).trim()] = value.startsWith('"') ? value.slice(1, -1) : value;
  }
  return found;
}

/** The answer to a challenge (RFC 2617, MD5), with or without `qop=auth`. */
export function answerDigest(
  challenge: string,
  request: { method: string; uri: string },
  { username, password }: Credentials,
): string {
  const { realm = "", nonce = "", qop, opaque } = parseDigest(challenge);
  const once = { cnonce: md5(`${nonce}:${username}`).slice(0, 16), nc: "00000001" };
  const protection = qop === undefined ? null : once;
  const response = digestResponse({ realm, nonce, protection, username, password, ...request });
  const parts = [`username="${username}"`, `realm="${realm}"`, `nonce="${nonce}"`, `uri="${request.uri}"`];
  parts.push(`response="${response}"`, "algorithm=MD5");
  if (protection !== null) parts.push("qop=auth", `cnonce="${once.cnonce}"`, `nc=${once.nc}`);
  if (opaque !== undefined) parts.push(`opaque="${opaque}"`);
  return `Digest ${parts.join(", ")}`;
}

/** Whether an answer to a challenge of this nonce knows the password. */
export function isRightDigest(
  answer: string,
  { realm, nonce, method }: { realm: string; nonce: string; method: string },
  credentials: Credentials,
): boolean {
  const given = parseDigest(answer);
  const { cnonce, nc, qop, uri = "" } = given;
  const protection = qop === undefined || cnonce === undefined || nc === undefined ? null : { cnonce, nc };
  const response = digestResponse({ realm, nonce, protection, method, uri, ...credentials });
  return given["username"] === credentials.username && given["nonce"] === nonce && given["response"] === response;
}

function digestResponse(of: {
  realm: string;
  nonce: string;
  protection: { cnonce: string; nc: string } | null;
  method: string;
  uri: string;
  username: string;
  password: string;
}): string {
  const who = md5(`${of.username}:${of.realm}:${of.password}`);
  const what = md5(`${of.method}:${of.uri}`);
  const { protection } = of;
  if (protection === null) return md5(`${who}:${of.nonce}:${what}`);
  return md5(`${who}:${of.nonce}:${protection.nc}:${protection.cnonce}:auth:${what}`);
}
