import { z } from "zod";
import { type AudioFormat, audioFormats, sampleRatesByFormat } from "#protocol/speech/request";
import { realtimeError } from "./realtime-error.js";

/** A format of audio in either direction. */
export interface RealtimeFormat {
  format: AudioFormat;
  rate: number;
}

/** A format named without a rate has this one. */
const defaultRates: Readonly<Record<AudioFormat, number>> = { pcm: 24_000, wav: 44_100, mp3: 44_100, opus: 48_000 };

/** As clients write it: a name, or a media type with a rate. */
export const formatField = z.union([z.string(), z.object({ type: z.string(), rate: z.number().int().nullish() })]);

/** Reads a format. Throws a `realtimeError` for those that cannot be given, telephone codecs among them. */
export function readFormat(field: z.infer<typeof formatField>): RealtimeFormat {
  const { type, rate } = typeof field === "string" ? { type: field, rate: undefined } : field;
  const name = type.replace(/^audio\//, "").replace(/^pcm16$/, "pcm");
  const format = audioFormats.find((candidate) => candidate === name);
  if (format === undefined)
    throw realtimeError("unsupported_audio_format", "The audio formats are pcm16, wav, mp3 and opus", "session.audio");
  const chosen = rate ?? defaultRates[format];
  if (!sampleRatesByFormat[format].includes(chosen)) {
    throw realtimeError(
      "unsupported_audio_format",
      `The rates of ${format} are ${sampleRatesByFormat[format].join(", ")}`,
      "session.audio",
    );
  }
  return { format, rate: chosen };
}

/** As the session object shows it. */
export function describeFormat({ format, rate }: RealtimeFormat): { type: string; rate: number } {
  return { type: `audio/${format}`, rate };
}
