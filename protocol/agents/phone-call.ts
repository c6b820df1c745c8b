import { z } from "zod";
import { dynamicVariables, freeObject, overrides } from "./session.js";
import { reference } from "./text.js";

/** How long an `Idempotency-Key` is remembered. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;

/** Names one request, however often it is sent: visible characters of ASCII. */
export const idempotencyKey = z
  .string()
  .max(255)
  .regex(/^[!-~]+$/, { message: "Input should be visible ASCII characters" });

/** Body of `POST /v1/agent/phone-calls`. Null is absent, as with sessions. */
export const phoneCallCreate = z.strictObject({
  agent_id: reference,
  phone_number_id: reference,
  /** Judged with the other rules of destinations, so that each has its reason. */
  to_number: z.string().max(64),
  dynamic_variables: dynamicVariables.nullish(),
  overrides: overrides.nullish(),
  metadata: freeObject.nullish(),
});
export type PhoneCallCreate = z.output<typeof phoneCallCreate>;

/** Answer of `POST /v1/agent/phone-calls`: the call is a session, which tells what becomes of it. */
export const phoneCallCreated = z.object({ session_id: z.string(), status: z.literal("queued") });
