import { createHash, createHmac } from "node:crypto";

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What a token of a LiveKit server says of the message that it comes with. */
export interface EventClaims {
  iss?: string;
  exp?: number;
  nbf?: number;
  sha256?: string;
}

/** The claims of a message, as a LiveKit server makes them: for five minutes from `nowMs` on. */
export function eventClaims(apiKey: string, body: string, nowMs: number): EventClaims {
  const seconds = Math.floor(nowMs / 1000);
  const sha256 = createHash("sha256").update(body).digest("base64");
  return { iss: apiKey, nbf: seconds, exp: seconds + 300, sha256 };
}

/** A token (RFC 7519) with these claims, signed with a secret, or with none where the algorithm is. */
export function eventToken(claims: EventClaims, secret: string, algorithm: "HS256" | "none" = "HS256"): string {
  const signed = `${encoded({ alg: algorithm, typ: "JWT" })}.${encoded(claims)}`;
  const signature = algorithm === "none" ? "" : createHmac("sha256", secret).update(signed).digest("base64url");
  return `${signed}.${signature}`;
}
