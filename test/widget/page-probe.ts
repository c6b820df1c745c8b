import type { BrowserContext, Page } from "playwright-core";

/** Of what the probe records, Hz. */
export const PROBE_RATE = 48_000;

/** What the page must serve at `/tap.js`: hands on the samples that pass. */
export const tapScript = `registerProcessor("tap", class extends AudioWorkletProcessor {
  process([[samples]]) {
    if (samples) this.port.postMessage(samples.slice());
    return true;
  }
});`;

/*
 * Runs before every script of a page: it notes how shadow roots are made and opens them, so that a test can look into
 * them, and records what comes over WebRTC, as a loudspeaker would play it.
 */
const probe = `(() => {
  window.probe = { modes: [], heard: [], events: [], peers: [], microphoneAsked: 0 };
  const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (wanted) => {
    window.probe.microphoneAsked += 1;
    return ask(wanted);
  };
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    window.probe.modes.push(options.mode);
    return attach.call(this, { ...options, mode: "open" });
  };
  const Peer = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Peer {
    constructor(...given) {
      super(...given);
      window.probe.peers.push(this);
      this.addEventListener("track", async ({ track }) => {
        if (track.kind !== "audio" || location.pathname !== "/") return;
        const heard = [];
        window.probe.heard.push(heard);
        const context = new AudioContext({ sampleRate: ${PROBE_RATE} });
        await context.audioWorklet.addModule("/tap.js");
        const tap = new AudioWorkletNode(context, "tap");
        tap.port.onmessage = ({ data }) => heard.push(data);
        context.createMediaStreamSource(new MediaStream([track])).connect(tap);
        tap.connect(context.destination);
        await context.resume();
      });
    }
  };
  const names = ["connecting", "listening", "thinking", "speaking", "ended", "failed", "open", "close", "problem"];
  document.addEventListener("DOMContentLoaded", () => {
    const element = document.querySelector("parley-agent");
    for (const name of names) element?.addEventListener(name, ({ detail }) => window.probe.events.push({ name, ...detail }));
  });
})();`;

/** Has every page of a context probed. */
export async function installProbe(context: BrowserContext): Promise<void> {
  await context.addInitScript(probe);
}

/** What the element dispatched, by name, in order. */
export const eventNames = (page: Page): Promise<string[]> => page.evaluate("probe.events.map(({ name }) => name)");

/** With which modes shadow roots were made. */
export const shadowModes = (page: Page): Promise<string[]> => page.evaluate("probe.modes");

/** Whether audio leaves the page: what its microphones send is enabled. */
export const microphonesOn = (page: Page): Promise<boolean[]> =>
  page.evaluate(
    "probe.peers.flatMap((peer) => peer.getSenders()).flatMap(({ track }) => track?.kind === 'audio' ? [track.enabled] : [])",
  );

/** What came from the agent so far: the room keeps tracks ready that nobody speaks on. */
export async function receivedSamples(page: Page): Promise<Int16Array> {
  const base64 = await page.evaluate<string>(`(() => {
    const tracks = probe.heard.map((parts) => Int16Array.from(parts.flatMap((part) => [...part]), (sample) => Math.max(-1, Math.min(1, sample)) * 32767));
    const peakOf = (samples) => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
    const samples = tracks.reduce((loudest, track) => (peakOf(track) > peakOf(loudest) ? track : loudest), new Int16Array());
    let text = "";
    for (const byte of new Uint8Array(samples.buffer)) text += String.fromCharCode(byte);
    return btoa(text);
  })()`);
  const bytes = Buffer.from(base64, "base64");
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
