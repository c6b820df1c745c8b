import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { VoiceTraits } from "#protocol/speech/chunk";
import { MAX_PROMPT_SECONDS, PROMPT_RATE } from "#protocol/bus/voice-prompts";
import { fromFloat } from "#audio/pcm";
import { resampleWhole } from "#audio/resampling/resampler";
import { measureVoice } from "#audio/voice/traits";
import { parseWavHeader, readWavFrames } from "#audio/wav-format";
import type { Logger } from "#common/log";
import { ModelProblem } from "../../repository/folder.js";
import { joinFloats } from "./join-floats.js";

/** Where a folder has its recordings, the first that is there: the operator's own, those of a release. */
const folders = ["voices", "test_wavs"] as const;

/** A voice of the model: a recording in its folder. */
export interface Speaker {
  name: string;
  path: string;
}

/** The speakers of a folder, by name. Throws `ModelProblem` when there is none: a model without a voice says nothing. */
export function findSpeakers(folder: string): Speaker[] {
  const at = folders.map((name) => join(folder, name)).find(existsSync);
  const names =
    at === undefined ? [] : readdirSync(at).filter((name) => /^[A-Za-z0-9][A-Za-z0-9._-]*\.wav$/.test(name));
  if (at === undefined || names.length === 0)
    throw new ModelProblem("has no wav in voices/ (or test_wavs/): the voice of who names none");
  return names.sort().map((name) => ({ name: name.slice(0, -".wav".length), path: join(at, name) }));
}

/** The beginning of a speaker's recording, mono at `PROMPT_RATE`. Throws `ModelProblem` when it cannot be read. */
export function readRecording({ path, name }: Speaker): Int16Array {
  try {
    const bytes = readFileSync(path);
    const header = parseWavHeader(bytes);
    if (header === null) throw new RangeError("it holds no samples");
    const { dataOffset, dataBytes, bytesPerSample, channels, sampleRate } = header;
    const most = Math.min(dataBytes, MAX_PROMPT_SECONDS * sampleRate * bytesPerSample * channels);
    const blocks = [...readWavFrames(header, bytes.subarray(dataOffset, dataOffset + most))].map(mixed);
    const samples = resampleWhole(joinFloats(blocks), sampleRate, PROMPT_RATE);
    if (samples.length === 0) throw new RangeError("it holds no samples");
    return fromFloat(samples);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ModelProblem(`${name}.wav cannot be read: ${reason}`, { cause });
  }
}

function mixed(channels: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0)] = channels;
  return first.map((_, i) => channels.reduce((sum, channel) => sum + (channel[i] ?? 0), 0) / channels.length);
}

/** The speakers' traits, by index; null where a recording cannot be measured: a cloned voice then steers nothing. */
export function measureSpeakers(speakers: readonly Speaker[], model: string, log: Logger): (VoiceTraits | null)[] {
  return speakers.map((speaker) => {
    try {
      return measureVoice({ samples: readRecording(speaker), sampleRate: PROMPT_RATE });
    } catch (error) {
      log.warn({ err: error, model, speaker: speaker.name }, "the recording cannot be measured");
      return null;
    }
  });
}
