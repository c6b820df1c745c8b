import type { Outbound } from "#common/outbound/outbound";
import { OutboundError } from "#common/outbound/outbound-error";
import { SealError, type Sealer } from "#common/secrets/sealer";
import { signWebhook } from "#common/webhooks/signature";
import { webhookSignatureHeaders, webhookTiming } from "#protocol/webhooks";
import type { AttemptOutcome, TakenDelivery } from "./delivery.js";
import { deliverySecretContext } from "./enqueue.js";

/** Makes one attempt; never rejects. */
export type SendWebhook = (delivery: TakenDelivery) => Promise<AttemptOutcome>;

/**
 * The sender: one POST through the guard, which judges the host anew each time. The signature is made for this attempt.
 * A status of 2xx within ten seconds is a success, whatever the rest of the answer; a redirect is a failure.
 */
export function webhookSender(options: { outbound: Outbound; sealer: Sealer; now: () => Date }): SendWebhook {
  const { outbound, sealer, now } = options;
  return async (delivery) => {
    try {
      const body = Buffer.from(delivery.body);
      const secret =
        delivery.sealedSecret === null ? null : sealer.open(delivery.sealedSecret, deliverySecretContext(delivery.id));
      const { status } = await outbound.request({
        method: "POST",
        url: delivery.url,
        headers: [
          ["content-type", "application/json"],
          ["x-parley-delivery", delivery.id],
          ...signatureHeaders(secret, now(), body),
        ],
        body,
        timeoutMs: webhookTiming.attemptTimeoutMs,
        maxResponseBytes: 0,
        overflow: "truncate",
      });
      const isSuccess = status >= 200 && status < 300;
      return { statusCode: status, error: isSuccess ? null : `The endpoint answered ${status}` };
    } catch (error) {
      if (error instanceof OutboundError) return { statusCode: null, error: error.message };
      if (error instanceof SealError)
        return { statusCode: null, error: "The signing secret cannot be read with the keys of this installation" };
      throw error;
    }
  };
}

/** The headers that sign a body, made for this moment; none without a secret. */
export function signatureHeaders(secret: string | null, now: Date, body: Uint8Array): [string, string][] {
  if (secret === null) return [];
  const signature = signWebhook(secret, Math.floor(now.getTime() / 1000), body);
  return webhookSignatureHeaders.map((name) => [name, signature]);
}
