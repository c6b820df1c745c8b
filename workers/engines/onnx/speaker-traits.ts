import type { VoiceTraits } from "#protocol/speech/chunk";
import { measureVoice } from "#audio/voice/traits";
import type { Logger } from "#common/log";
import type { ModelFolder } from "../../repository/folder.js";
import type { VoiceCalls } from "./graph-calls.js";
import { ownSteering } from "./steering.js";
import type { Piece } from "./symbols.js";

/** What the speakers are measured with. */
export const calibrationText = "The quick brown fox jumps over the lazy dog, and nobody knows where it is going.";

/**
 * Speaks a text with the speakers of a voice and measures them: cloned voices steer relative to that. Gives traits by
 * speaker, null where the layout does not measure one or its audio cannot be measured.
 */
export async function measureSpeakers(
  calls: VoiceCalls,
  piece: Piece | null,
  { manifest }: ModelFolder,
  log: Logger,
): Promise<(VoiceTraits | null)[]> {
  const { layout, run } = calls;
  const { num_speakers: count, default_speaker_id: usual, audio } = layout.config;
  const measure = async (speakerId: number): Promise<VoiceTraits | null> => {
    if (piece === null || layout.measuredSpeaker(speakerId) !== speakerId) return null;
    const [row] = await run(
      [{ piece, speakerId, pitchRatio: 1, whisper: false }],
      layout.scales(ownSteering, speakerId),
    );
    if (row === undefined) return null;
    try {
      const measured = measureVoice({ samples: row.samples, sampleRate: audio.sample_rate });
      const stated = speakerId === usual ? manifest.pitchHz : undefined;
      return { ...measured, pitchHz: stated ?? measured.pitchHz };
    } catch (error) {
      log.warn({ err: error, model: manifest.name }, "the voice cannot be measured: cloned voices will sound like it");
      return null;
    }
  };
  return await Promise.all(Array.from({ length: count }, (_, speakerId) => measure(speakerId)));
}
