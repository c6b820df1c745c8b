import { createHmac, timingSafeEqual } from "node:crypto";
import { WEBHOOK_TOLERANCE_SECONDS } from "#protocol/webhooks";

/** What a receiver can say of a signature. */
export type SignatureVerdict = "valid" | "stale" | "invalid" | "missing";

/**
 * The signature header for a body sent at `unixSeconds`: `t=<seconds>,v1=<hex>`, where the hex is the HMAC-SHA256 of
 * `<t>.` and the body (docs/webhooks.md "Verifying").
 */
export function signWebhook(secret: string, unixSeconds: number, body: Uint8Array): string {
  return `t=${unixSeconds},v1=${digest(secret, String(unixSeconds), body).toString("hex")}`;
}

/**
 * Judges a signature header as a receiver does: `stale` when its time is more than five minutes from `nowUnixSeconds`,
 * `invalid` when no `v1` element fits. Elements of other schemes are ignored.
 */
export function verifyWebhook(
  secret: string,
  header: string | undefined,
  body: Uint8Array,
  nowUnixSeconds: number,
): SignatureVerdict {
  if (header === undefined || header === "") return "missing";
  const elements = header.split(",").map((element) => {
    const at = element.indexOf("=");
    return { name: element.slice(0, at).trim(), value: element.slice(at + 1).trim() };
  });
  const time = elements.find(({ name }) => name === "t")?.value ?? "";
  if (!/^\d{1,12}$/.test(time)) return "invalid";
  const expected = digest(secret, time, body);
  const candidates = elements.filter(({ name, value }) => name === "v1" && /^[0-9a-f]{64}$/i.test(value));
  const fits = candidates.some(({ value }) => timingSafeEqual(expected, Buffer.from(value, "hex")));
  if (!fits) return "invalid";
  return Math.abs(nowUnixSeconds - Number(time)) > WEBHOOK_TOLERANCE_SECONDS ? "stale" : "valid";
}

function digest(secret: string, time: string, body: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(`${time}.`).update(body).digest();
}
