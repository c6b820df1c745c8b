import { defaultOutputFormat } from "#protocol/compat/elevenlabs-speech";
import { ServiceError } from "#protocol/errors";
import { type AudioFormat, audioFormats, sampleRatesByFormat } from "#protocol/speech/request";
import { snapMp3Bitrate } from "../mp3-bitrate.js";

/** The audio that an `output_format` asks for. */
export interface OutputFormat {
  format: AudioFormat;
  sample_rate: number;
  mp3_bitrate?: 64 | 128 | 192;
}

/** As error messages name them: `mp3_<32000|44100>_<bitrate up to 192>`. */
const offered = audioFormats.map((format) => {
  const rates = sampleRatesByFormat[format];
  const rate = rates.length === 1 ? String(rates[0]) : `<${rates.join("|")}>`;
  return `${format}_${rate}${format === "mp3" ? "_<bitrate up to 192>" : ""}`;
});

/**
 * Reads `mp3_44100_128`, `pcm_16000`, `wav_44100`, `opus_48000_64`: rates are the native ones, an mp3's bitrate snaps
 * up to the next that there is, Opus chooses its own. Throws `unsupported_format` for everything else.
 */
export function readOutputFormat(name: string | null | undefined): OutputFormat {
  const wanted = name === null || name === undefined || name === "" ? defaultOutputFormat : name;
  const [, family, rateText, bitrateText] = /^([a-z0-9]+)_(\d{4,6})(?:_(\d{1,4}))?$/.exec(wanted) ?? [];
  const format = audioFormats.find((candidate) => candidate === family);
  if (format === undefined) throw refusal(wanted);
  const sampleRate = Number(rateText);
  if (!sampleRatesByFormat[format].includes(sampleRate)) throw refusal(wanted);
  if (format !== "mp3") {
    if (bitrateText !== undefined && format !== "opus") throw refusal(wanted);
    return { format, sample_rate: sampleRate };
  }
  const bitrate = snapMp3Bitrate(Number(bitrateText ?? 128));
  if (bitrate !== 64 && bitrate !== 128 && bitrate !== 192) throw refusal(wanted);
  return { format, sample_rate: sampleRate, mp3_bitrate: bitrate };
}

function refusal(wanted: string): ServiceError {
  const detail = /^[a-z0-9_]{1,40}$/.test(wanted)
    ? `${wanted} is not among ${offered.join(", ")}`
    : "output_format cannot be read";
  return new ServiceError("unsupported_format", { parameters: { detail } });
}
