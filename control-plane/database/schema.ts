import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";

/*
 * The tables as drizzle sees them. The migrations are what creates them: a change here needs a new migration there, and
 * `test/control-plane/database.test.ts` fails while the two disagree. The agents platform keeps its tables beside its
 * queries.
 */

const instant = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });
/** Integers past 2^31; all of ours stay below 2^53. */
const large = (name: string) => bigint(name, { mode: "number" });

export const teams = pgTable("teams", {
  id: text("id").primaryKey(),
  name: text("name").notNull(),
  betaAccess: boolean("beta_access").notNull(),
  /** 0 is no limit. */
  maxConcurrentStreams: integer("max_concurrent_streams").notNull(),
  createdAt: instant("created_at").notNull(),
  updatedAt: instant("updated_at").notNull(),
});

export const users = pgTable("users", {
  id: text("id").primaryKey(),
  teamId: text("team_id")
    .notNull()
    .references(() => teams.id),
  nickname: text("nickname").notNull(),
  avatar: text("avatar").notNull(),
  createdAt: instant("created_at").notNull(),
});

export const apiKeys = pgTable(
  "api_keys",
  {
    id: text("id").primaryKey(),
    teamId: text("team_id")
      .notNull()
      .references(() => teams.id),
    userId: text("user_id")
      .notNull()
      .references(() => users.id),
    name: text("name").notNull(),
    prefix: text("prefix").notNull(),
    /** SHA-256 of the key, hex. Keys carry 256 random bits, so no slow hash is needed. */
    digest: text("digest").notNull(),
    scopes: text("scopes").array().notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at"),
    revokedAt: instant("revoked_at"),
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [uniqueIndex("api_keys_digest").on(table.digest), index("api_keys_team").on(table.teamId)],
);

/** Who is signed in to the console, by the digest of the cookie's token. */
export const consoleSessions = pgTable(
  "console_sessions",
  {
    digest: text("digest").primaryKey(),
    /** Of the key that it stands for: one that is replaced under the same id is another key. */
    keyDigest: text("key_digest").notNull(),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("console_sessions_key").on(table.keyDigest), index("console_sessions_expiry").on(table.expiresAt)],
);

/** Links that sign in to the console once. */
export const consoleSignInCodes = pgTable(
  "console_sign_in_codes",
  {
    digest: text("digest").primaryKey(),
    keyDigest: text("key_digest").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("console_sign_in_codes_expiry").on(table.expiresAt)],
);

export const usageRecords = pgTable(
  "usage_records",
  {
    /** Settling a usage id twice is harmless: the second insert finds this key. */
    usageId: text("usage_id").primaryKey(),
    teamId: text("team_id")
      .notNull()
      .references(() => teams.id),
    keyId: text("key_id").notNull(),
    route: text("route").notNull(),
    model: text("model").notNull(),
    characters: large("characters").notNull(),
    audioMs: large("audio_ms").notNull(),
    /** Of a conversation, as far as it is charged. */
    conversationMs: large("conversation_ms").notNull(),
    /** In whose conversation it was used; empty where in none. */
    agentId: text("agent_id").notNull(),
    /** Until the client had its first audio; null where it got none, or nobody asked for any. */
    firstAudioMs: doublePrecision("first_audio_ms"),
    totalMs: doublePrecision("total_ms"),
    costMicros: large("cost_micros").notNull(),
    outcome: text("outcome").notNull(),
    traceId: text("trace_id").notNull(),
    finishedAt: instant("finished_at").notNull(),
    settledAt: instant("settled_at").notNull(),
  },
  (table) => [index("usage_records_team").on(table.teamId, table.finishedAt)],
);

export const voices = pgTable(
  "voices",
  {
    id: text("id").primaryKey(),
    teamId: text("team_id")
      .notNull()
      .references(() => teams.id),
    authorId: text("author_id")
      .notNull()
      .references(() => users.id),
    title: text("title").notNull(),
    /** The title as filters compare it: folded by us, so that both databases agree whatever their locale. */
    titleFolded: text("title_folded").notNull(),
    description: text("description").notNull(),
    visibility: text("visibility", { enum: ["public", "unlist", "private"] }).notNull(),
    tags: text("tags").array().notNull(),
    languages: text("languages").array().notNull(),
    titleLanguages: text("title_languages").array().notNull(),
    defaultText: text("default_text").notNull(),
    /** SHA-256 of the cover, which names its object in the store; null when there is none. */
    coverDigest: text("cover_digest"),
    enhanceAudioQuality: boolean("enhance_audio_quality").notNull(),
    pitchHz: doublePrecision("pitch_hz").notNull(),
    pitchRangeSemitones: doublePrecision("pitch_range_semitones").notNull(),
    syllablesPerSecond: doublePrecision("syllables_per_second").notNull(),
    spectralTiltDbPerOctave: doublePrecision("spectral_tilt_db_per_octave").notNull(),
    taskCount: large("task_count").notNull(),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [
    index("voices_team").on(table.teamId, table.createdAt),
    index("voices_visibility").on(table.visibility, table.taskCount),
  ],
);

export const voiceSamples = pgTable(
  "voice_samples",
  {
    voiceId: text("voice_id")
      .notNull()
      .references(() => voices.id, { onDelete: "cascade" }),
    /** Position among the voice's samples, from 0; names the object in the store. */
    position: integer("position").notNull(),
    title: text("title").notNull(),
    text: text("text").notNull(),
    taskId: text("task_id").notNull(),
    mediaType: text("media_type").notNull(),
    durationMs: integer("duration_ms").notNull(),
  },
  (table) => [primaryKey({ columns: [table.voiceId, table.position] })],
);

/** What a team's credit is made of: `control-plane/ledger/accounts.ts` says what each kind means. */
export const ledgerAccounts = pgTable(
  "ledger_accounts",
  {
    teamId: text("team_id")
      .notNull()
      .references(() => teams.id),
    kind: text("kind", { enum: ["credit", "held", "granted", "spent"] }).notNull(),
    /** Millionths of a credit; always the sum of the account's postings. */
    balanceMicros: large("balance_micros").notNull(),
    updatedAt: instant("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.teamId, table.kind] })],
);

export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** Names the event that it books: booking the event again finds this key. */
    id: text("id").primaryKey(),
    teamId: text("team_id")
      .notNull()
      .references(() => teams.id),
    kind: text("kind", { enum: ["opening", "grant", "usage", "hold", "settlement", "release"] }).notNull(),
    note: text("note").notNull(),
    occurredAt: instant("occurred_at").notNull(),
  },
  (table) => [index("ledger_entries_team").on(table.teamId, table.occurredAt)],
);

export const ledgerPostings = pgTable(
  "ledger_postings",
  {
    entryId: text("entry_id")
      .notNull()
      .references(() => ledgerEntries.id),
    teamId: text("team_id").notNull(),
    kind: text("kind", { enum: ["credit", "held", "granted", "spent"] }).notNull(),
    /** The postings of an entry sum to 0. */
    amountMicros: large("amount_micros").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.entryId, table.kind] }),
    index("ledger_postings_team").on(table.teamId, table.kind),
  ],
);

export const creditHolds = pgTable("credit_holds", {
  id: text("id").primaryKey(),
  teamId: text("team_id")
    .notNull()
    .references(() => teams.id),
  purpose: text("purpose").notNull(),
  amountMicros: large("amount_micros").notNull(),
  /** What it came to; null while that is not known. */
  settledMicros: large("settled_micros"),
  createdAt: instant("created_at").notNull(),
  closedAt: instant("closed_at"),
  /** When the amount returns if nobody settled it; null is never. */
  expiresAt: instant("expires_at"),
  /** When it returned so; it may be settled after that too. */
  expiredAt: instant("expired_at"),
});
