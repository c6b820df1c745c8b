import type { BrowserContext, Page } from "playwright-core";

/**
 * Records what a page's audio graphs play, and which words it lights meanwhile. Whatever is connected to the speakers
 * is recorded too, by the browser's own recorder.
 */
const recordPlayed = `
  const recorded = { parts: [], lit: [] };
  window.recorded = recorded;
  const connect = AudioNode.prototype.connect;
  const taps = new Map();
  AudioNode.prototype.connect = function (to, ...rest) {
    if (to instanceof AudioDestinationNode) {
      if (!taps.has(to)) {
        const tap = this.context.createMediaStreamDestination();
        const recorder = new MediaRecorder(tap.stream);
        recorder.ondataavailable = ({ data }) => recorded.parts.push(data);
        recorder.start(50);
        taps.set(to, { tap, recorder });
      }
      connect.call(this, taps.get(to).tap);
    }
    return connect.call(this, to, ...rest);
  };
  recorded.end = async () => {
    for (const { recorder } of taps.values()) {
      if (recorder.state === "inactive") continue;
      const stopped = new Promise((resolve) => { recorder.onstop = resolve; });
      recorder.stop();
      await stopped;
    }
    return [...new Uint8Array(await new Blob(recorded.parts).arrayBuffer())];
  };
  new MutationObserver((changes) => {
    for (const { target } of changes) if (target.className === "lit") recorded.lit.push(target.textContent);
  }).observe(document, { subtree: true, attributeFilter: ["class"] });
`;

/** Has the pages of a context recorded from their next load on. */
export async function record(context: BrowserContext): Promise<void> {
  await context.addInitScript(recordPlayed);
}

/** Ends the recording; gives what one audio graph played, as WebM. */
export async function playedAudio(page: Page): Promise<Uint8Array> {
  const bytes: number[] = await page.evaluate("recorded.end()");
  return Uint8Array.from(bytes);
}

/** The words that were lit so far, in their order. */
export const litWords = (page: Page): Promise<string[]> => page.evaluate("recorded.lit");

/** What tests ask of an audio element. */
export interface MediaElement {
  ended: boolean;
  duration: number;
  currentTime: number;
  play(): Promise<void>;
}
