import { beforeEach, describe, expect, it } from "vitest";
import {
  keyRevokedSubject,
  type Principal,
  type Reply,
  type VerifyKeyReply,
  type VerifyKeyRequest,
} from "#protocol/bus/control";
import { ServiceError, toErrorRecord } from "#protocol/errors";
import type { Bus } from "#common/bus/bus";
import type { Cache } from "#common/cache/cache";
import { generateApiKey } from "#common/api-key";
import { VirtualClock } from "#common/clock";
import { sha256Hex } from "#common/identifier";
import { createAuthenticate, requireScope } from "./authenticator.js";
import { KeyVerifier, type VerdictSource } from "./key-verifier.js";

const principal: Principal = {
  teamId: "t",
  userId: "u",
  keyId: "k",
  scopes: ["speech"],
  hasCredit: true,
  betaAccess: false,
  maxConcurrentStreams: 0,
};
const good = (expiresAtMs: number | null = null): Reply<VerifyKeyReply> => ({
  ok: true,
  value: { principal, expiresAtMs },
});
const bad = (code: "invalid_token" | "token_expired"): Reply<VerifyKeyReply> => ({
  ok: false,
  error: toErrorRecord(new ServiceError(code)),
});

const here = { address: "192.0.2.1" };
const EPOCH_MS = 1_700_000_000_000;
let clock: VirtualClock;
let shared: Map<string, string>;
let asked: string[];
let sources: VerdictSource[];
let reply: () => Promise<Reply<VerifyKeyReply>>;
let revoke: (digest: string) => void;
let reconnect: () => void;

const cache: Cache = {
  get: (key) => Promise.resolve(shared.get(key) ?? null),
  set: async (key, value) => void shared.set(key, value),
  count: () => Promise.resolve(null),
  delete: async (key) => void shared.delete(key),
  close: () => undefined,
};

function createVerifier(): KeyVerifier {
  const bus: Pick<Bus, "request" | "subscribe" | "onReconnect"> = {
    onReconnect: (callback) => {
      reconnect = callback;
    },
    request: async <T>(_subject: string, question: object) => {
      asked.push((question as VerifyKeyRequest).keyDigest);
      return (await reply()) as T;
    },
    subscribe: <T>(subject: string, handler: (message: T) => void) => {
      expect(subject).toBe(keyRevokedSubject);
      revoke = (keyDigest) => handler({ keyDigest } as T);
      return { unsubscribe: () => undefined };
    },
  };
  return new KeyVerifier({
    bus: bus as Bus,
    cache,
    clock,
    epochMs: () => EPOCH_MS + clock.nowMs(),
    onVerdict: (source) => sources.push(source),
  });
}

const outcome = (promise: Promise<Principal>): Promise<string> =>
  promise.then(
    (value) => value.keyId,
    (error: ServiceError) => error.code,
  );

/** Lets what was begun without being waited for come to its end. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  clock = new VirtualClock();
  shared = new Map();
  asked = [];
  sources = [];
  reply = async () => good();
});

describe("KeyVerifier", () => {
  it("asks once for a key, then remembers for 30 s, and sends only the digest", async () => {
    const verifier = createVerifier();
    expect(await outcome(verifier.verify("secret", here))).toBe("k");
    clock.advance(14_999);
    expect(await outcome(verifier.verify("secret", here))).toBe("k");
    expect(asked).toEqual([sha256Hex("secret")]);
    clock.advance(15_002);
    shared.clear();
    await verifier.verify("secret", here);
    expect(asked).toHaveLength(2);
    expect(sources).toEqual(["control-plane", "memory", "control-plane"]);
  });

  it("asks about a key in use ahead of time, while nobody waits, and feels no control plane that is slow for 15 s", async () => {
    const verifier = createVerifier();
    await verifier.verify("secret", here);
    const away = (): Promise<never> =>
      Promise.reject(new ServiceError("dependency_unavailable", { parameters: { dependency: "Authentication" } }));
    reply = away;
    for (let second = 0; second < 29; second++) {
      clock.advance(1000);
      expect(await outcome(verifier.verify("secret", here))).toBe("k");
    }
    expect(asked.length).toBeGreaterThan(1);
    await settled();
    reply = async () => good();
    await verifier.verify("secret", here);
    await settled();
    reply = away;
    clock.advance(14_000);
    expect(await outcome(verifier.verify("secret", here))).toBe("k");
    clock.advance(16_000);
    expect(await outcome(verifier.verify("secret", here))).toBe("dependency_unavailable");
  });

  it("takes over what another edge has asked meanwhile, and a refusal", async () => {
    const [verifier, another] = [createVerifier(), createVerifier()];
    await verifier.verify("secret", here);
    clock.advance(10_000);
    shared.clear();
    await another.verify("secret", here);
    clock.advance(6000);
    await verifier.verify("secret", here);
    await settled();
    expect(asked).toHaveLength(2);
    clock.advance(16_000);
    reply = async () => bad("invalid_token");
    expect(await outcome(verifier.verify("secret", here))).toBe("k");
    await settled();
    expect(await outcome(verifier.verify("secret", here))).toBe("invalid_token");
    clock.advance(4000);
    expect(await outcome(verifier.verify("secret", here))).toBe("invalid_token");
  });

  it("asks again about every key after the bus was interrupted: a revocation may have been missed, here and in Redis", async () => {
    const verifier = createVerifier();
    await verifier.verify("secret", here);
    clock.advance(10);
    reply = async () => bad("invalid_token");
    reconnect();
    expect(await outcome(verifier.verify("secret", here))).toBe("invalid_token");
    expect(asked).toHaveLength(2);
  });

  it("asks once for many requests at the same time", async () => {
    const verifier = createVerifier();
    await Promise.all(Array.from({ length: 100 }, () => verifier.verify("secret", here)));
    expect(asked).toHaveLength(1);
  });

  it("believes what another edge learned, for the rest of its 30 s and no longer", async () => {
    await createVerifier().verify("secret", here);
    clock.advance(20_000);
    const second = createVerifier();
    expect(await outcome(second.verify("secret", here))).toBe("k");
    expect(sources).toEqual(["control-plane", "redis"]);
    clock.advance(10_001);
    await second.verify("secret", here);
    expect(asked).toHaveLength(2);
  });

  it("takes a damaged shared entry for a miss", async () => {
    shared.set(`parley:key:${sha256Hex("secret")}`, '{"principal":{}}');
    expect(await outcome(createVerifier().verify("secret", here))).toBe("k");
    expect(asked).toHaveLength(1);
  });

  it("refuses bad keys, remembers briefly, and asks again", async () => {
    const verifier = createVerifier();
    reply = async () => bad("invalid_token");
    expect([await outcome(verifier.verify("x", here)), await outcome(verifier.verify("x", here))]).toEqual([
      "invalid_token",
      "invalid_token",
    ]);
    expect(asked).toHaveLength(1);
    clock.advance(3000);
    reply = async () => good();
    expect(await outcome(verifier.verify("x", here))).toBe("k");
  });

  it("notices expiry of a remembered key", async () => {
    const verifier = createVerifier();
    reply = async () => good(EPOCH_MS + 5000);
    expect(await outcome(verifier.verify("x", here))).toBe("k");
    clock.advance(5000);
    expect(await outcome(verifier.verify("x", here))).toBe("token_expired");
  });

  it("forgets a revoked key at once, everywhere", async () => {
    const verifier = createVerifier();
    await verifier.verify("x", here);
    clock.advance(1);
    reply = async () => bad("invalid_token");
    revoke(sha256Hex("x"));
    expect(shared.size).toBe(0);
    expect(await outcome(verifier.verify("x", here))).toBe("invalid_token");
  });

  it("asks again about a key that merely changed", async () => {
    const verifier = createVerifier();
    await verifier.verify("x", here);
    clock.advance(1);
    reply = async () => ({ ok: true, value: { principal: { ...principal, hasCredit: false }, expiresAtMs: null } });
    revoke(sha256Hex("x"));
    clock.advance(1);
    expect((await verifier.verify("x", here)).hasCredit).toBe(false);
    expect((await verifier.verify("x", here)).hasCredit).toBe(false);
    expect(asked).toHaveLength(2);
  });

  it("believes no answer that was under way when the key was revoked, nor another edge's older one", async () => {
    const verifier = createVerifier();
    const answers: ((value: Reply<VerifyKeyReply>) => void)[] = [];
    const asking = new Promise<void>((resolve) => {
      reply = () =>
        new Promise((give) => {
          answers.push(give);
          resolve();
        });
    });
    const pending = outcome(verifier.verify("x", here));
    await asking;
    revoke(sha256Hex("x"));
    clock.advance(1);
    reply = async () => bad("invalid_token");
    answers[0]?.(good());
    expect(await pending).toBe("invalid_token");
    clock.advance(3000);
    shared.set(
      `parley:key:${sha256Hex("x")}`,
      JSON.stringify({ principal, expiresAtMs: null, verifiedAtMs: EPOCH_MS }),
    );
    expect(await outcome(verifier.verify("x", here))).toBe("invalid_token");
  });

  it("asks nobody about a key of our own form with a wrong checksum", async () => {
    const key = generateApiKey();
    const mistyped = key.slice(0, -1) + (key.endsWith("a") ? "b" : "a");
    expect(await outcome(createVerifier().verify(mistyped, here))).toBe("invalid_token");
    expect(asked).toEqual([]);
    expect(await outcome(createVerifier().verify(key, here))).toBe("k");
  });

  it("bounds the wrong keys of an address, and never what is known", async () => {
    const verifier = createVerifier();
    await verifier.verify("known", here);
    reply = async () => bad("invalid_token");
    const guesses: string[] = [];
    for (let guess = 0; guess < 100; guess++) guesses.push(await outcome(verifier.verify(`guess ${guess}`, here)));
    expect(guesses.filter((code) => code === "invalid_token")).toHaveLength(30);
    expect(guesses.filter((code) => code === "too_many_requests")).toHaveLength(70);
    expect(asked).toHaveLength(31);
    reply = async () => good();
    for (let second = 0; second < 29; second++) {
      clock.advance(1000);
      expect(await outcome(verifier.verify("known", here))).toBe("k");
      await settled();
    }
    expect(await outcome(verifier.verify("elsewhere", { address: "192.0.2.2" }))).toBe("k");
  });

  it("asks few questions about unknown keys at once, and takes what another edge knows without one", async () => {
    const verifier = createVerifier();
    reply = () => new Promise(() => undefined);
    const guesses = Array.from({ length: 400 }, (_, guess) =>
      outcome(verifier.verify(`guess ${guess}`, { address: `192.0.2.${guess % 100}` })),
    );
    await settled();
    expect(asked).toHaveLength(64);
    expect(await guesses[399]).toBe("too_many_requests");
    shared.set(
      `parley:key:${sha256Hex("shared")}`,
      JSON.stringify({ principal, expiresAtMs: null, verifiedAtMs: EPOCH_MS }),
    );
    expect(await outcome(verifier.verify("shared", here))).toBe("k");
  });

  it("works on without the control plane for keys it knows", async () => {
    const verifier = createVerifier();
    await verifier.verify("x", here);
    reply = () =>
      Promise.reject(new ServiceError("dependency_unavailable", { parameters: { dependency: "Authentication" } }));
    expect(await outcome(verifier.verify("x", here))).toBe("k");
    expect(await outcome(verifier.verify("y", here))).toBe("dependency_unavailable");
    // An outage is not a verdict about the key.
    reply = async () => good();
    expect(await outcome(verifier.verify("y", here))).toBe("k");
  });
});

describe("keys of open connections", () => {
  const watchNew = async (verifier: KeyVerifier, key = "x"): Promise<{ refused: number; stop: () => void }> => {
    const closed = new AbortController();
    const watch = { refused: 0, stop: () => closed.abort() };
    verifier.watch(await verifier.verify(key, here), closed.signal, () => void watch.refused++);
    return watch;
  };

  it("are refused at once when they are revoked, once, and only those", async () => {
    const verifier = createVerifier();
    const [first, second, other] = [await watchNew(verifier), await watchNew(verifier), await watchNew(verifier, "y")];
    const left = await watchNew(verifier);
    left.stop();
    clock.advance(1);
    revoke(sha256Hex("x"));
    await settled();
    expect([first.refused, other.refused]).toEqual([0, 0]);
    clock.advance(1);
    reply = async () => bad("invalid_token");
    revoke(sha256Hex("x"));
    await settled();
    revoke(sha256Hex("x"));
    await settled();
    expect([first.refused, second.refused, left.refused, other.refused]).toEqual([1, 1, 0, 0]);
  });

  it("are refused when they expire, and when a revocation was missed", async () => {
    const verifier = createVerifier();
    reply = async () => good(EPOCH_MS + 8000);
    const expiring = await watchNew(verifier);
    for (let second = 0; second < 8; second++) clock.advance(1000);
    await settled();
    expect(expiring.refused).toBe(0);
    clock.advance(3000);
    await settled();
    expect(expiring.refused).toBe(1);

    reply = async () => good();
    const missed = await watchNew(verifier, "missed");
    reply = async () => bad("invalid_token");
    clock.advance(12_000);
    await settled();
    expect(missed.refused).toBe(0);
    clock.advance(6000);
    await settled();
    expect(missed.refused).toBe(1);
  });

  it("stay while nobody can say, and are looked at again after the bus was away", async () => {
    const verifier = createVerifier();
    const watch = await watchNew(verifier);
    reply = () =>
      Promise.reject(new ServiceError("dependency_unavailable", { parameters: { dependency: "Authentication" } }));
    for (let step = 0; step < 30; step++) {
      clock.advance(3000);
      await settled();
    }
    expect(watch.refused).toBe(0);
    reply = async () => bad("invalid_token");
    reconnect();
    await settled();
    expect(watch.refused).toBe(1);
  });
});

describe("createAuthenticate", () => {
  const request = (authorization?: string) => ({
    remoteAddress: here.address,
    header: (name: string) => (name === "authorization" ? authorization : undefined),
  });

  it("needs a bearer credential", async () => {
    const authenticate = createAuthenticate(createVerifier());
    expect(await outcome(authenticate(request()))).toBe("unauthenticated");
    expect(await outcome(authenticate(request("Basic x")))).toBe("unauthenticated");
    expect(asked).toEqual([]);
    expect(await outcome(authenticate(request("Bearer x")))).toBe("k");
  });

  it("tells scopes apart", () => {
    expect(() => requireScope(principal, "speech")).not.toThrow();
    expect(() => requireScope(principal, "wallet")).toThrow("This API key lacks the scope wallet");
    expect(() => requireScope({ ...principal, scopes: ["*"] }, "wallet")).not.toThrow();
  });
});
