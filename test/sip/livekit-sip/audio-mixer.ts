import { PACKET_SAMPLES } from "../media/media-session.js";

/** So much of a track has to be there before it is mixed: its frames come in bursts. */
const AHEAD_SAMPLES = 2 * PACKET_SAMPLES;

/** What several tracks say, as one telephone receives it: 20 ms at a time, silence where nobody says anything. */
export class AudioMixer {
  readonly #tracks = new Map<string, { samples: number[]; isPlaying: boolean }>();

  add(trackId: string, samples: Int16Array): void {
    const track = this.#tracks.get(trackId) ?? { samples: [], isPlaying: false };
    this.#tracks.set(trackId, track);
    for (const sample of samples) track.samples.push(sample);
    if (track.samples.length >= AHEAD_SAMPLES) track.isPlaying = true;
  }

  remove(trackId: string): void {
    this.#tracks.delete(trackId);
  }

  next(): Int16Array {
    const mixed = new Int16Array(PACKET_SAMPLES);
    for (const track of this.#tracks.values()) {
      if (!track.isPlaying) continue;
      const taken = track.samples.splice(0, PACKET_SAMPLES);
      for (const [at, sample] of taken.entries())
        mixed[at] = Math.max(-32_768, Math.min(32_767, (mixed[at] ?? 0) + sample));
      if (track.samples.length === 0) track.isPlaying = false;
    }
    return mixed;
  }
}
