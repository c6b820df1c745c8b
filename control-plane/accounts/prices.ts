import { withoutTrailing } from "#common/text/trim";
import { conversationModel } from "#protocol/agents/session";
import type { UsageRecord } from "#protocol/bus/control";

/** Micro-units of one credit. Credit is a count of money's worth: one credit buys what one US dollar would. */
export const MICROS_PER_CREDIT = 1_000_000;

interface Price {
  /** Micro-units for 1,000 characters (UTF-16 units of the source text). */
  per1000Characters: number;
  /** Micro-units for a second of transcribed audio. */
  perAudioSecond: number;
}

const speech: Price = { per1000Characters: 15_000, perAudioSecond: 0 };
const free: Price = { per1000Characters: 0, perAudioSecond: 0 };

/** What each model costs. Models that are not listed, a deployment's own, cost nothing. */
const prices: Readonly<Record<string, Price>> = {
  "s2.1-pro": speech,
  "s2-pro": speech,
  s1: speech,
  "s2.1-pro-free": free,
  "transcribe-1": { per1000Characters: 0, perAudioSecond: 100 },
};

/**
 * What a request costs, in whole micro-units, rounded up: what it gave, however it ended. One that failed before it
 * gave anything is free.
 */
export function costMicros(usage: Pick<UsageRecord, "model" | "characters" | "audioMs" | "conversationMs">): number {
  if (usage.model === conversationModel) return conversationMicros(usage.conversationMs ?? 0);
  const price = Object.hasOwn(prices, usage.model) ? prices[usage.model] : undefined;
  if (price === undefined) return 0;
  return Math.ceil((usage.characters * price.per1000Characters + usage.audioMs * price.perAudioSecond) / 1000);
}

/** Micro-units for a minute of conversation with an agent; what is spoken and recognized in it costs as elsewhere. */
const CONVERSATION_MINUTE = 10_000;

/** Micro-units for a day of a phone number that was bought; one that a team brings costs nothing. */
export const PHONE_NUMBER_DAY = 50_000;

/** What a conversation of a duration costs, in whole micro-units, rounded up. */
export function conversationMicros(durationMs: number): number {
  return Math.ceil((Math.max(0, durationMs) * CONVERSATION_MINUTE) / 60_000);
}

/** Micro-units as a decimal in text: exact, without trailing zeros. */
export function creditText(micros: number): string {
  const whole = Math.trunc(Math.abs(micros) / MICROS_PER_CREDIT);
  const fraction = withoutTrailing(String(Math.abs(micros) % MICROS_PER_CREDIT).padStart(6, "0"), "0");
  return `${micros < 0 ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

const decimalPattern = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/;

/**
 * Micro-units of a decimal in text, exact; null when it is none, has more than six decimals, or is a billion or more.
 */
export function parseCredit(text: string): number | null {
  const match = decimalPattern.exec(text);
  if (match === null) return null;
  const [, sign = "", whole = "", fraction = ""] = match;
  const micros = Number(whole) * MICROS_PER_CREDIT + Number(fraction.padEnd(6, "0"));
  return sign === "-" && micros !== 0 ? -micros : micros;
}
