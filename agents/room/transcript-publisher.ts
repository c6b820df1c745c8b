import { transcriptAttributes } from "#protocol/agents/room-topics";

export interface TranscriptSegment {
  segmentId: string;
  speaker: "caller" | "agent";
  text: string;
  isFinal: boolean;
}

/** A text stream of the room that is being written. */
export interface TextStream {
  write(text: string): Promise<void>;
  close(): Promise<void>;
}

export interface TranscriptPublisherOptions {
  /** Opens a stream of the transcription topic in the name of who speaks. */
  open(speaker: TranscriptSegment["speaker"], attributes: Record<string, string>): Promise<TextStream>;
  /** Of the speaker's audio; null where there is none. */
  trackId(speaker: TranscriptSegment["speaker"]): string | null;
  /** What went wrong; no text is in it. */
  onFailed(error: unknown): void;
}

/**
 * Publishes transcripts as LiveKit's own agents do, which is what its client libraries and the vendor's read:
 *
 *   caller  every change is a stream of its own with the whole text, the last one marked as final
 *   agent   an utterance is one stream that grows word by word; its end is the final word
 *
 * One at a time and in order; of several changes that wait, only the last is sent.
 */
export class TranscriptPublisher {
  readonly #options: TranscriptPublisherOptions;
  #waiting: TranscriptSegment[] = [];
  #working: Promise<void> | null = null;
  /** The agent's utterance that grows. */
  #open: { segmentId: string; stream: TextStream; written: string } | null = null;

  constructor(options: TranscriptPublisherOptions) {
    this.#options = options;
  }

  publish(segment: TranscriptSegment): void {
    const last = this.#waiting.findIndex(({ segmentId, isFinal }) => segmentId === segment.segmentId && !isFinal);
    if (last >= 0) this.#waiting[last] = segment;
    else this.#waiting.push(segment);
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  /** Resolves when everything that was published is sent, or could not be. */
  async flush(): Promise<void> {
    await this.#working;
  }

  /** The room is another one now: what was open in the last one is gone. */
  reset(): void {
    this.#open = null;
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      try {
        if (next.speaker === "caller") await this.#sendWhole(next);
        else await this.#grow(next);
      } catch (error) {
        this.#open = null;
        this.#options.onFailed(error);
      }
    }
  }

  async #sendWhole(segment: TranscriptSegment): Promise<void> {
    const stream = await this.#options.open("caller", this.#attributes(segment, segment.isFinal));
    await stream.write(segment.text);
    await stream.close();
  }

  async #grow(segment: TranscriptSegment): Promise<void> {
    const { segmentId, text } = segment;
    if (this.#open !== null && !(this.#open.segmentId === segmentId && text.startsWith(this.#open.written)))
      await this.#closeOpen();
    if (this.#open === null) {
      const stream = await this.#options.open("agent", this.#attributes(segment, false));
      this.#open = { segmentId, stream, written: "" };
    }
    const added = text.slice(this.#open.written.length);
    if (added !== "") await this.#open.stream.write(added);
    this.#open.written = text;
    if (segment.isFinal) await this.#closeOpen();
  }

  async #closeOpen(): Promise<void> {
    const { stream } = this.#open ?? {};
    this.#open = null;
    await stream?.close();
  }

  #attributes({ segmentId, speaker }: TranscriptSegment, isFinal: boolean): Record<string, string> {
    const trackId = this.#options.trackId(speaker);
    return {
      [transcriptAttributes.segmentId]: segmentId,
      [transcriptAttributes.isFinal]: String(isFinal),
      ...(trackId === null ? {} : { [transcriptAttributes.trackId]: trackId }),
    };
  }
}
