import { validate } from "#common/http/validation";
import { idempotencyKey, phoneCallCreate, type phoneCallCreated } from "#protocol/agents/phone-call";
import type { z } from "zod";
import { readJsonBody } from "../http/json-body.js";
import { json, type Route } from "../http/route.js";
import type { CallContext } from "./context.js";
import { createCall } from "./create-call.js";

/** `/v1/agent/phone-calls` (docs/phone.md "Calls out"). */
export function callRoutes(context: CallContext): Route[] {
  return [
    {
      method: "POST",
      path: "/v1/agent/phone-calls",
      scope: "agents",
      async handle(request) {
        const sent = request.headers["idempotency-key"];
        const key = sent === undefined ? null : validate(idempotencyKey, sent, ["header", "idempotency-key"]);
        const body = validate(phoneCallCreate, await readJsonBody(request), ["body"]);
        const sessionId = await createCall(context, request.principal, key, body);
        return json(201, { session_id: sessionId, status: "queued" } satisfies z.output<typeof phoneCallCreated>);
      },
    },
  ];
}
