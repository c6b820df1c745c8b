import { type Browser, chromium } from "playwright-core";
import { findProgram } from "#launcher/find-program";
import { inCi } from "./livekit.js";

const path = findProgram("chromium", process.env.PATH);

/** Whether Chromium is installed; in CI it must be, and a test that needs it fails there without. */
export const canRunChromium = path !== null || inCi;

/** Starts Chromium, whose microphone plays this WAV file again and again, or beeps where none is given. */
export function startChromium(microphoneFile?: string): Promise<Browser> {
  return chromium.launch({
    executablePath: path ?? "chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      ...(microphoneFile === undefined ? [] : [`--use-file-for-fake-audio-capture=${microphoneFile}`]),
      "--autoplay-policy=no-user-gesture-required",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
