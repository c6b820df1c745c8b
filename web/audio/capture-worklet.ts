/** What the browser's audio thread gives to a module (Web Audio, "AudioWorkletGlobalScope"). */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: typeof AudioWorkletProcessor): void;

/** Blocks of 128 samples are too small to send one by one. */
const SENT_SAMPLES = 2048;

/** Sends what comes in, of the first channel, to the page. */
class Capture extends AudioWorkletProcessor {
  #samples = new Float32Array(SENT_SAMPLES);
  #count = 0;

  process([input]: Float32Array[][]): boolean {
    const block = input?.[0];
    if (block === undefined) return true;
    this.#samples.set(block, this.#count);
    this.#count += block.length;
    if (this.#count + block.length > SENT_SAMPLES) {
      this.port.postMessage(this.#samples.slice(0, this.#count));
      this.#count = 0;
    }
    return true;
  }
}

registerProcessor("capture", Capture);
