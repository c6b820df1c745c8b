import type Twilio from "twilio";
import { PHONE_NUMBER_DAY } from "../../accounts/prices.js";
import type { PhoneRow } from "../tables.js";
import { type NumberInventory, type NumberProvider, ProviderFailure } from "./provider.js";
import { TWILIO_LABEL, type TwilioSettings } from "./twilio-settings.js";

/** How long Twilio may take to answer. */
const ANSWER_MS = 8000;
/** Numbers shown of an inventory. */
const SHOWN = 30;
/** Where the library sends everything: what stands before the path is replaced by the address that is set. */
const LIBRARY_ORIGIN = "https://api.twilio.com";

/** Marks a number at Twilio as the one that a row stands for: whoever asks again finds it by that. */
const markOf = ({ id }: Pick<PhoneRow, "id">): string => `parley ${id}`;

/**
 * Numbers of Twilio's inventory, of one account. Twilio has no keys of idempotency, but gives a number once: who asks for
 * one and is refused looks whether it bears the row's mark, and then it was bought before. The library is loaded when
 * it is first needed.
 */
export function twilioProvider(settings: TwilioSettings): NumberProvider & NumberInventory {
  let opened: Promise<Twilio.Twilio> | null = null;
  const open = (): Promise<Twilio.Twilio> => {
    opened ??= openClient(settings);
    return opened;
  };
  const find = (row: PhoneRow): Promise<string | null> =>
    asking(async () => {
      const client = await open();
      const found = await client.incomingPhoneNumbers.list({ phoneNumber: row.phoneNumber, limit: SHOWN });
      const own = found.find(
        ({ phoneNumber, friendlyName }) => phoneNumber === row.phoneNumber && friendlyName === markOf(row),
      );
      return own?.sid ?? null;
    });
  const buy = (row: PhoneRow): Promise<string> =>
    asking(async () => {
      const client = await open();
      const { trunkSid } = settings;
      const bought = await client.incomingPhoneNumbers.create({
        ...{ phoneNumber: row.phoneNumber, friendlyName: markOf(row) },
        ...(trunkSid === null ? {} : { trunkSid }),
      });
      return bought.sid;
    });
  return {
    label: TWILIO_LABEL,
    dayMicros: PHONE_NUMBER_DAY,
    search: ({ countryCode, areaCode }) =>
      asking(async () => {
        const client = await open();
        const found = await client
          .availablePhoneNumbers(countryCode)
          .local.list({
            ...{ voiceEnabled: true, limit: SHOWN },
            ...(areaCode === null ? {} : { areaCode: Number(areaCode) }),
          });
        return found.map((number) => ({
          phone_number: number.phoneNumber,
          friendly_name: number.friendlyName,
          country_code: number.isoCountry,
          region: number.region ?? "",
          locality: number.locality ?? "",
          postal_code: number.postalCode ?? "",
          number_type: "local",
          provider: "twilio",
        }));
      }),
    async acquire(row, effort) {
      if (effort === "look") {
        const found = await find(row);
        if (found === null) throw new ProviderFailure("it did not sell the number", true);
        return found;
      }
      try {
        return await buy(row);
      } catch (error) {
        if (!(error instanceof ProviderFailure) || !error.isFinal) throw error;
        const hasAnswered = statusOf(error) !== null;
        if (effort === "buy" && !hasAnswered) throw error;
        // Refused, perhaps because the number was bought for this row before.
        const found = await find(row).catch((failure: unknown) => {
          throw failure instanceof ProviderFailure ? new ProviderFailure(failure.detail, false, failure) : failure;
        });
        if (found === null) throw error;
        return found;
      }
    },
    async release(row) {
      const sid = row.providerId ?? (await find(row));
      if (sid === null) return;
      await asking(async () => {
        const client = await open();
        await client.incomingPhoneNumbers(sid).remove();
      }).catch((error: unknown) => {
        // It is gone already: whoever came before did it.
        if (statusOf(error) !== 404) throw error;
      });
    },
  };
}

async function openClient({ accountSid, authToken, baseUrl }: TwilioSettings): Promise<Twilio.Twilio> {
  const { default: library } = await import("twilio");
  const base = baseUrl.replace(/\/$/, "");
  const httpClient = new library.RequestClient({ timeout: ANSWER_MS });
  const send = httpClient.request.bind(httpClient);
  httpClient.request = (options) => send({ ...options, uri: options.uri.replace(LIBRARY_ORIGIN, base) });
  return library(accountSid, authToken, { httpClient });
}

/** The HTTP status that Twilio answered a failed request with; null where it gave none. */
function statusOf(error: unknown): number | null {
  const cause = error instanceof ProviderFailure ? error.cause : error;
  const status = cause instanceof Error && "status" in cause ? cause.status : null;
  return typeof status === "number" ? status : null;
}

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error);
  }
}

/** What people read of a failure: Twilio's own words where they are about the number, and never its credentials. */
function toFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  const status = statusOf(error);
  // The library's own error quotes the request, and its credentials with it.
  if (status === null)
    return new ProviderFailure("it did not answer", wasNotSent(error), new Error(String(error).slice(0, 200)));
  if (status === 401 || status === 403) return new ProviderFailure("it refuses this server's credentials", true, error);
  if (status === 429) return new ProviderFailure("it is asked too often", true, error);
  // A gateway before it that gives up says nothing of what comes behind.
  if (status >= 500) return new ProviderFailure(`it answered ${status}`, status !== 502 && status !== 504, error);
  const message = error instanceof Error ? error.message.slice(0, 300) : "";
  return new ProviderFailure(message === "" ? `it answered ${status}` : message, true, error);
}

/** Whether a request cannot have arrived, since there was no connection. */
function wasNotSent(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"].includes(String(cause.code)))
      return true;
  return false;
}
