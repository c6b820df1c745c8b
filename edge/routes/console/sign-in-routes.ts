import { randomBytes } from "node:crypto";
import {
  consoleCredential,
  type ConsoleSessionsReply,
  type ConsoleSessionsRequest,
  SIGN_IN_CODE_MS,
} from "#protocol/bus/console-sessions";
import { controlSubjects, type Reply, VERIFY_TIMEOUT_MS } from "#protocol/bus/control";
import { type ConsoleSession, type SignInCode, signInRequest } from "#protocol/console";
import { fromErrorRecord, ServiceError } from "#protocol/errors";
import * as declared from "#protocol/operations/console";
import type { Bus } from "#common/bus/bus";
import type { Clock } from "#common/clock";
import { baseUrlOf } from "#common/http/base-url";
import { validate } from "#common/http/validation";
import { sha256Hex } from "#common/identifier";
import type { Authenticate } from "../../authentication/authenticator.js";
import { sessionCookie, sessionToken } from "../../authentication/console-cookie.js";
import { lookupBounds, LookupLimits } from "../../authentication/lookup-limits.js";
import { answerJson } from "../../http/answers.js";
import { readBody } from "../../http/body.js";
import { declaredRoute } from "../../http/declared-route.js";
import type { HttpRequest, HttpResponder, HttpRoute } from "../../http/exchange.js";

export interface SignInOptions {
  bus: Pick<Bus, "request">;
  clock: Clock;
  authenticate: Authenticate;
}

const fresh = { "cache-control": "no-store" };
const newSecret = (): string => randomBytes(32).toString("base64url");
const digestOf = (kind: "session" | "code", secret: string): string => sha256Hex(consoleCredential(kind, secret));

/**
 * Signing in to the console and out of it. Tokens and codes are made here and given to the page; the control plane
 * keeps their digests. Wrong keys count as everywhere, and wrong codes are counted in the same way.
 */
export function signInRoutes(options: SignInOptions): HttpRoute[] {
  const codeTries = new LookupLimits(lookupBounds, options.clock);
  return [
    declaredRoute(declared.signIn, async (request, responder) => {
      const shown = validate(signInRequest, await readBody(request, ["json"]), ["body"]);
      const token = newSecret();
      const sessionDigest = digestOf("session", token);
      const session =
        "code" in shown
          ? await openByCode(options, codeTries, request, { sessionDigest, code: shown.code })
          : await openByKey(options, request, { sessionDigest, key: shown.api_key });
      answerJson(responder, 201, session, { ...fresh, "set-cookie": sessionCookie(token, isSecure(request)) });
    }),
    declaredRoute(declared.showSession, async (request, responder) => {
      const { keyId } = await options.authenticate(request);
      const token = sessionToken(request);
      const sessionDigest = token === null ? null : digestOf("session", token);
      answerJson(responder, 200, await ask(options, { action: "describe", keyId, sessionDigest }), fresh);
    }),
    declaredRoute(declared.signOut, (request, responder) => signOut(options, request, responder)),
    declaredRoute(declared.issueSignInCode, async (request, responder) => {
      const { keyId } = await options.authenticate({ ...request, header: withoutCookie(request) });
      const code = newSecret();
      await ask(options, { action: "issue-code", codeDigest: digestOf("code", code), keyId });
      const expires_at = new Date(Date.now() + SIGN_IN_CODE_MS).toISOString();
      const made: SignInCode = { code, path: `/console/sign-in#${code}`, expires_at };
      answerJson(responder, 201, made, fresh);
    }),
  ];
}

/** A session makes no link: whoever took its cookie could go on for as long as the key is good. */
const withoutCookie =
  (request: HttpRequest): HttpRequest["header"] =>
  (name) =>
    name === "cookie" ? undefined : request.header(name);

async function openByKey(
  options: SignInOptions,
  request: HttpRequest,
  { sessionDigest, key }: { sessionDigest: string; key: string },
): Promise<ConsoleSession | null> {
  const shown = (name: string): string | undefined => (name === "authorization" ? `Bearer ${key.trim()}` : undefined);
  const { keyId } = await options.authenticate({ ...request, header: shown }).catch((error: unknown) => {
    // What cannot be a key is one that nobody knows.
    const isNoKey = error instanceof ServiceError && error.code === "unauthenticated";
    throw isNoKey ? new ServiceError("invalid_token") : error;
  });
  return await ask(options, { action: "open", sessionDigest, keyId });
}

async function openByCode(
  options: SignInOptions,
  tries: LookupLimits,
  { remoteAddress }: HttpRequest,
  { sessionDigest, code }: { sessionDigest: string; code: string },
): Promise<ConsoleSession | null> {
  const end = tries.begin(remoteAddress);
  let wasRefused = false;
  try {
    return await ask(options, { action: "open-by-code", sessionDigest, codeDigest: digestOf("code", code) });
  } catch (error) {
    wasRefused = error instanceof ServiceError && error.status === 401;
    throw error;
  } finally {
    end(wasRefused);
  }
}

async function signOut(options: SignInOptions, request: HttpRequest, responder: HttpResponder): Promise<void> {
  await options.authenticate(request);
  const token = sessionToken(request);
  if (token !== null) await ask(options, { action: "close", sessionDigest: digestOf("session", token) });
  responder.begin(204, { ...fresh, "set-cookie": sessionCookie(null, isSecure(request)) });
  responder.end();
}

async function ask({ bus }: SignInOptions, question: ConsoleSessionsRequest): Promise<ConsoleSession | null> {
  const within = { timeoutMs: VERIFY_TIMEOUT_MS, dependency: "The control plane" };
  const reply = await bus.request<Reply<ConsoleSessionsReply>>(controlSubjects.consoleSessions, question, within);
  if (!reply.ok) throw fromErrorRecord(reply.error);
  return reply.value.session;
}

/** Whether the page was reached over https, so that its cookie need never travel without. */
const isSecure = (request: HttpRequest): boolean =>
  baseUrlOf((name) => request.header(name))?.startsWith("https:") === true;
