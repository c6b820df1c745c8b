import { createdKey, keyCreate, keyList } from "../keys.js";
import { authentication, bodyErrors, json, jsonBody, nothing, type Operation } from "./operation.js";

/** The team's API keys. */
export const keyOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/v1/keys",
    tag: "Keys",
    scope: "keys",
    summary: "List the team's keys",
    description: "Without their secrets, oldest first; revoked and expired ones too.",
    success: { status: 200, description: "The keys.", mediaTypes: json, schema: keyList },
    errors: authentication,
    curl: "",
  },
  {
    method: "POST",
    path: "/v1/keys",
    tag: "Keys",
    scope: "keys",
    summary: "Make a key",
    description:
      "For the caller's team. scopes are what it covers: speech, transcription, voices, wallet, agents, keys, or * for everything; as the " +
      "caller's own key where absent, and never more than that. The answer alone has the secret.",
    body: { schema: keyCreate, mediaTypes: json },
    success: { status: 201, description: "The key, with its secret.", mediaTypes: json, schema: createdKey },
    errors: [...authentication, ...bodyErrors],
    curl: `${jsonBody} -d '{"name": "Website", "scopes": ["speech"], "expires_in_days": 90}'`,
  },
  {
    method: "DELETE",
    path: "/v1/keys/:key_id",
    tag: "Keys",
    scope: "keys",
    summary: "Revoke a key",
    description:
      "It is refused from then on, and so are sessions of the console that stand for it. Revoking twice is harmless. The record stays.",
    success: nothing,
    errors: [...authentication, "not_found"],
    curl: "",
  },
];
