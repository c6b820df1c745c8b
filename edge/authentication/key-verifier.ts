import { z } from "zod";
import {
  controlSubjects,
  type KeyRevoked,
  keyRevokedSubject,
  type Principal,
  type Reply,
  VERIFY_TIMEOUT_MS,
  type VerifyKeyReply,
  type VerifyKeyRequest,
} from "#protocol/bus/control";
import { type ErrorCode, fromErrorRecord, ServiceError } from "#protocol/errors";
import { isMistypedApiKey } from "#common/api-key";
import type { Bus, Subscription } from "#common/bus/bus";
import type { Cache } from "#common/cache/cache";
import type { Clock } from "#common/clock";
import { sha256Hex } from "#common/identifier";
import { ExpiringMap } from "./expiring-map.js";
import { lookupBounds, LookupLimits } from "./lookup-limits.js";

/**
 * An accepted key is believed for this long, wherever the answer was kept meanwhile: the longest that a missed
 * revocation lives.
 */
const ACCEPTED_MS = 30_000;

/**
 * From this age on an accepted key is asked about again while it is still believed: nobody waits, nor feels a control
 * plane that is slow for a while.
 */
const RENEWED_AFTER_MS = 15_000;

/** A refused key is asked about again after this long: a key that was just created must not stay refused. */
const REFUSED_MS = 3000;

/** Where an answer about a key came from; metrics count it. */
export type VerdictSource = "memory" | "redis" | "control-plane";

/** Where a key came from. */
export interface KeyOrigin {
  /** Of the client that showed it. */
  address: string;
  /** Where the control plane's part of the look-up belongs: of requests that wait for one answer, that of the first. */
  traceparent?: string | null;
}

export interface KeyVerifierOptions {
  bus: Bus;
  cache: Cache;
  clock: Clock;
  /** Milliseconds since the epoch: expiry and shared entries are wall-clock facts. */
  epochMs: () => number;
  onVerdict: (source: VerdictSource) => void;
}

/** A good answer, as kept. */
const acceptance = z.object({
  principal: z.object({
    teamId: z.string(),
    userId: z.string(),
    keyId: z.string(),
    scopes: z.array(z.string()),
    hasCredit: z.boolean(),
    betaAccess: z.boolean(),
    maxConcurrentStreams: z.number(),
  }),
  expiresAtMs: z.number().nullable(),
  /** When the control plane was asked, milliseconds since the epoch. */
  verifiedAtMs: z.number(),
});
type Acceptance = z.infer<typeof acceptance>;

/**
 * How often the keys of open connections are looked at: one whose revocation was not learned of is refused this much
 * later at most, plus `RENEWED_AFTER_MS`.
 */
const WATCH_INTERVAL_MS = 3000;

const cacheKey = (keyDigest: string): string => `parley:key:${keyDigest}`;

/**
 * Tells who holds a key: memory, then Redis, then the control plane. Keys themselves are never kept nor sent, only
 * their SHA-256. While the control plane is away, keys seen in the last 30 s keep working, those in use for 15 s at
 * least.
 */
export class KeyVerifier {
  readonly #options: KeyVerifierOptions;
  readonly #accepted: ExpiringMap<Acceptance>;
  readonly #refused: ExpiringMap<ErrorCode>;
  /**
   * When a key was last to be forgotten, milliseconds since the epoch: answers asked for before are not believed any
   * more.
   */
  readonly #forgotten: ExpiringMap<number>;
  readonly #running = new Map<string, Promise<Acceptance>>();
  readonly #limits: LookupLimits;
  readonly #subscription: Subscription;
  /** Digests of the keys that stand behind principals given out. */
  readonly #digests = new WeakMap<Principal, string>();
  /** What to call when a key in use is refused, by digest. */
  readonly #watched = new Map<string, Set<(error: ServiceError) => void>>();
  #cancelWatch: () => void = () => undefined;
  /** Answers asked for before this are not believed: revocations may have been missed. Milliseconds since the epoch. */
  #believedSinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: KeyVerifierOptions) {
    this.#options = options;
    this.#accepted = new ExpiringMap(options.clock);
    this.#refused = new ExpiringMap(options.clock);
    this.#forgotten = new ExpiringMap(options.clock);
    this.#limits = new LookupLimits(lookupBounds, options.clock);
    this.#subscription = options.bus.subscribe<KeyRevoked>(keyRevokedSubject, ({ keyDigest }) =>
      this.#purge(keyDigest),
    );
    options.bus.onReconnect(() => this.#purgeAll());
    this.#watchKeys();
  }

  /**
   * Who holds `key`, which came from `address`. Throws `invalid_token`, `token_expired`, `too_many_requests` where an
   * address tries too many wrong keys, and `dependency_unavailable` when nobody can say.
   */
  async verify(key: string, { address, traceparent = null }: KeyOrigin): Promise<Principal> {
    if (isMistypedApiKey(key)) throw new ServiceError("invalid_token");
    const digest = sha256Hex(key);
    const refusal = this.#refused.get(digest);
    const known = refusal === null ? this.#accepted.get(digest) : null;
    if (refusal !== null || known !== null) this.#options.onVerdict("memory");
    if (refusal !== null) throw new ServiceError(refusal);
    if (known !== null && this.#ageMs(known) >= RENEWED_AFTER_MS) this.#renew(digest, traceparent);
    const accepted = known ?? (await this.#lookUpOnce(digest, () => this.#lookUp(digest, { address, traceparent })));
    this.#assertUnexpired(accepted);
    this.#digests.set(accepted.principal, digest);
    return accepted.principal;
  }

  /**
   * Calls `onRefused`, once, when the key of a principal that `verify` gave is revoked or expires, unless `until`
   * aborts before: a connection may live much longer than its key.
   */
  watch(principal: Principal, until: AbortSignal, onRefused: (error: ServiceError) => void): void {
    const digest = this.#digests.get(principal);
    if (digest === undefined)
      throw new ServiceError("internal", { cause: new TypeError("a principal that was not verified here") });
    const watchers = this.#watched.get(digest) ?? new Set();
    this.#watched.set(digest, watchers);
    watchers.add(onRefused);
    const stop = (): void => {
      watchers.delete(onRefused);
      if (watchers.size === 0 && this.#watched.get(digest) === watchers) this.#watched.delete(digest);
    };
    if (until.aborted) stop();
    else until.addEventListener("abort", stop, { once: true });
  }

  close(): void {
    this.#cancelWatch();
    this.#subscription.unsubscribe();
  }

  #watchKeys(): void {
    this.#cancelWatch = this.#options.clock.after(WATCH_INTERVAL_MS, () => {
      for (const digest of [...this.#watched.keys()]) this.#checkWatched(digest);
      this.#watchKeys();
    });
  }

  /** Makes sure that a watched key is still good; asks where what is remembered is old, or nothing. */
  #checkWatched(digest: string): void {
    const known = this.#accepted.get(digest);
    if (known !== null && this.#ageMs(known) < RENEWED_AFTER_MS) return this.#refuseExpired(digest, known);
    this.#lookUpOnce(digest, () => this.#askCurrent(digest, { isKnown: true })).then(
      (fresh) => this.#refuseExpired(digest, fresh),
      // Where nobody can say, the next look will tell.
      (error: unknown) => this.#noteRefusal(digest, error),
    );
  }

  #refuseExpired(digest: string, { expiresAtMs }: Acceptance): void {
    if (expiresAtMs !== null && expiresAtMs <= this.#options.epochMs())
      this.#noteRefusal(digest, new ServiceError("token_expired"));
  }

  #noteRefusal(digest: string, error: unknown): void {
    if (!(error instanceof ServiceError) || error.status !== 401) return;
    const watchers = this.#watched.get(digest) ?? [];
    this.#watched.delete(digest);
    for (const onRefused of watchers) onRefused(error);
  }

  /** A thousand requests with one new key are one question. */
  #lookUpOnce(digest: string, lookUp: () => Promise<Acceptance>): Promise<Acceptance> {
    const running = this.#running.get(digest);
    if (running !== undefined) return running;
    const lookup = lookUp().finally(() => this.#running.delete(digest));
    this.#running.set(digest, lookup);
    return lookup;
  }

  /** Asks again about a key that is believed, in the background; such questions are not limited. */
  #renew(digest: string, traceparent: string | null): void {
    const renewal = async (): Promise<Acceptance> =>
      (await this.#findShared(digest, RENEWED_AFTER_MS)) ??
      (await this.#askCurrent(digest, { isKnown: true, traceparent }));
    this.#lookUpOnce(digest, renewal).catch((error: unknown) => {
      // Only a refusal ends what is believed: where nobody can say, it lasts for the rest of its time.
      if (!(error instanceof ServiceError) || error.status !== 401) return;
      this.#noteRefusal(digest, error);
      this.#purge(digest);
    });
  }

  async #lookUp(digest: string, { address, traceparent }: Required<KeyOrigin>): Promise<Acceptance> {
    const shared = await this.#findShared(digest, ACCEPTED_MS);
    if (shared !== null) return shared;
    const end = this.#limits.begin(address);
    let wasRefused = false;
    try {
      return await this.#askCurrent(digest, { isKnown: false, traceparent });
    } catch (error) {
      wasRefused = error instanceof ServiceError && error.status === 401;
      throw error;
    } finally {
      end(wasRefused);
    }
  }

  /** What another edge has learned less than `maxAgeMs` ago, remembered from now on; null where that is nothing. */
  async #findShared(digest: string, maxAgeMs: number): Promise<Acceptance | null> {
    const shared = this.#readShared(await this.#options.cache.get(cacheKey(digest)));
    if (shared === null || this.#ageMs(shared) >= maxAgeMs || !this.#isCurrent(digest, shared)) return null;
    this.#options.onVerdict("redis");
    this.#accepted.set(digest, shared, this.#leftMs(shared));
    return shared;
  }

  async #askCurrent(digest: string, about: Pick<VerifyKeyRequest, "isKnown" | "traceparent">): Promise<Acceptance> {
    let fresh = await this.#ask({ keyDigest: digest, ...about });
    // It was revoked, or changed, while the answer was under way.
    if (!this.#isCurrent(digest, fresh)) fresh = await this.#ask({ keyDigest: digest, ...about });
    this.#options.onVerdict("control-plane");
    this.#accepted.set(digest, fresh, this.#leftMs(fresh));
    await this.#options.cache.set(cacheKey(digest), JSON.stringify(fresh), this.#leftMs(fresh));
    return fresh;
  }

  async #ask(question: VerifyKeyRequest): Promise<Acceptance> {
    const options = { timeoutMs: VERIFY_TIMEOUT_MS, dependency: "Authentication" };
    const verifiedAtMs = this.#options.epochMs();
    const reply = await this.#options.bus.request<Reply<VerifyKeyReply>>(controlSubjects.verifyKey, question, options);
    if (reply.ok) return { ...reply.value, verifiedAtMs };
    const error = fromErrorRecord(reply.error);
    if (error.status === 401) this.#refused.set(question.keyDigest, error.code, REFUSED_MS);
    throw error;
  }

  /** What another edge learned, where it is whole and still young enough. */
  #readShared(text: string | null): Acceptance | null {
    if (text === null) return null;
    try {
      const shared = acceptance.parse(JSON.parse(text));
      return this.#leftMs(shared) > 0 ? shared : null;
    } catch {
      return null; // another version's entry, or damage: a miss
    }
  }

  #leftMs(entry: Acceptance): number {
    return ACCEPTED_MS - this.#ageMs(entry);
  }

  #ageMs({ verifiedAtMs }: Acceptance): number {
    return Math.max(0, this.#options.epochMs() - verifiedAtMs);
  }

  #assertUnexpired({ expiresAtMs }: Acceptance): void {
    if (expiresAtMs !== null && expiresAtMs <= this.#options.epochMs()) throw new ServiceError("token_expired");
  }

  #isCurrent(digest: string, entry: Acceptance): boolean {
    return (
      entry.verifiedAtMs > Math.max(this.#believedSinceMs, this.#forgotten.get(digest) ?? Number.NEGATIVE_INFINITY)
    );
  }

  /** Whatever was published while the bus was away did not come here. */
  #purgeAll(): void {
    this.#accepted.clear();
    this.#refused.clear();
    this.#believedSinceMs = this.#options.epochMs();
    for (const digest of this.#watched.keys()) this.#checkWatched(digest);
  }

  #purge(digest: string): void {
    this.#accepted.delete(digest);
    this.#refused.delete(digest);
    this.#forgotten.set(digest, this.#options.epochMs(), ACCEPTED_MS);
    void this.#options.cache.delete(cacheKey(digest));
    if (this.#watched.has(digest)) this.#checkWatched(digest);
  }
}
