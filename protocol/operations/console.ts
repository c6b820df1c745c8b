import { consoleSession, signInCode, signInRequest } from "../console.js";
import { authentication, bodyErrors, json, jsonBody, nothing, type Operation } from "./operation.js";

const anyKey = authentication.filter((code) => code !== "missing_scope");

/** Exchanges a key, or a link's code, for a cookie. */
export const signIn = {
  method: "POST",
  path: "/v1/console/session",
  tag: "Console",
  scope: null,
  summary: "Sign in to the console",
  description:
    "Exchanges an API key, or the code of a sign-in link, for a session of 12 hours: a cookie that scripts cannot read and that counts for this service's own pages alone. " +
    "Wherever a key is taken, the cookie stands for the key; it ends when the key is revoked.",
  body: { schema: signInRequest, mediaTypes: json, maxBytes: 4096 },
  success: { status: 201, description: "Signed in; the cookie is set.", mediaTypes: json, schema: consoleSession },
  errors: ["invalid_token", "token_expired", "too_many_requests", "dependency_unavailable", ...bodyErrors],
  curl: `${jsonBody} -c cookies.txt -d '{"api_key": "'$PARLEY_API_KEY'"}'`,
} satisfies Operation;

/** Who is signed in. */
export const showSession = {
  method: "GET",
  path: "/v1/console/session",
  tag: "Console",
  scope: "any",
  summary: "Show who is signed in",
  description: "The key and the team behind the cookie, or behind the key that the request carries.",
  success: { status: 200, description: "Who it is.", mediaTypes: json, schema: consoleSession },
  errors: anyKey,
  curl: "",
} satisfies Operation;

/** Ends a session. */
export const signOut = {
  method: "DELETE",
  path: "/v1/console/session",
  tag: "Console",
  scope: "any",
  summary: "Sign out of the console",
  description: "Ends the session of the cookie at once, on every edge. With a key instead there is nothing to end.",
  success: nothing,
  errors: anyKey,
  curl: "",
} satisfies Operation;

/** Makes a sign-in link. */
export const issueSignInCode = {
  method: "POST",
  path: "/v1/console/sign-in-codes",
  tag: "Console",
  scope: "any",
  summary: "Make a sign-in link",
  description:
    "The path opens the console signed in with the key of this request: once, and within ten minutes. The cookie of a session makes no link.",
  success: { status: 201, description: "The code, and the page that takes it.", mediaTypes: json, schema: signInCode },
  errors: anyKey,
  curl: "",
} satisfies Operation;
