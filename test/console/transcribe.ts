import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { speech } from "../harness/http-speech.js";
import { inspect, type Pages } from "./pages.js";
import { litWords, type MediaElement, record } from "./played.js";

/** The page that transcribes: files that are dropped, and a microphone that says `SAID`. */
export const SAID = "The weather will be cold tomorrow.";

/** What the recognizer must have of it at the least. */
const recognized = /weather will be \w+ tomorrow/;

/** Drops a file on the page, as a mouse does. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const data = await page.evaluateHandle(
    `(() => {
      const data = new DataTransfer();
      const bytes = Uint8Array.from(atob(${JSON.stringify(Buffer.from(bytes).toString("base64"))}), (c) => c.charCodeAt(0));
      data.items.add(new File([bytes], ${JSON.stringify(name)}));
      return data;
    })()`,
  );
  const place = page.getByRole("region", { name: "Files to transcribe" });
  for (const event of ["dragenter", "dragover", "drop"]) await place.dispatchEvent(event, { dataTransfer: data });
}

async function downloaded(page: Page, button: string): Promise<string> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  return await readFile(await (await downloading).path(), "utf8");
}

export function describeTranscribe(started: () => TestCluster, pages: Pages): void {
  it("transcribes a dropped file, and lights its words as they sound", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/transcribe", { colorScheme: "light" });
    await record(context);
    await page.reload();
    await page.getByText("Nothing was transcribed yet.").waitFor();
    await drop(page, "talk.wav", Buffer.from(await speech(started(), { text: SAID, format: "wav" })));
    await drop(page, "no audio.txt", Buffer.from("words, but none that sound"));
    const words = page.getByRole("region", { name: "Words of talk.wav" });
    await words.waitFor();
    const text = (await words.textContent()) ?? "";
    expect(text).toMatch(recognized);
    await page.locator("audio").evaluate((audio: MediaElement) => audio.play());
    await expect
      .poll(() => page.locator("audio").evaluate((audio: MediaElement) => audio.ended), { timeout: 20_000 })
      .toBe(true);
    const lit = await litWords(page);
    expect(lit.length).toBeGreaterThan(3);
    expect(lit).toEqual(text.split(" ").filter((word) => lit.includes(word)));
    expect(await downloaded(page, "Download SRT of talk.wav")).toMatch(
      /^1\n00:00:0\d,\d{3} --> 00:00:0\d,\d{3}\nthe weather/,
    );
    expect(await downloaded(page, "Download VTT of talk.wav")).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> /);
    expect(JSON.parse(await downloaded(page, "Download JSON of talk.wav"))).toMatchObject({
      text,
      language_code: "en",
    });
    const failure = page.getByRole("region", { name: "Transcript of no audio.txt" }).getByRole("alert");
    await failure.getByText(/^Request id [0-9a-f]{32}$/).waitFor();
    await inspect(page, "transcribe");
    // What was refused is a failed request to the browser.
    expect(complaints.filter((complaint) => !complaint.includes("400 (Bad Request)"))).toEqual([]);
    await context.close();
  }, 60_000);

  it("writes down what the microphone hears while it hears it, and what it recorded", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/transcribe", { colorScheme: "dark" });
    await page.getByRole("button", { name: "Start captions" }).click();
    await page.locator(".partial").getByText("weather").waitFor();
    const log = page.getByRole("log", { name: "Captions" });
    await log.locator("p:not(.partial)").getByText(recognized).waitFor();
    await page.getByRole("button", { name: "Stop captions" }).click();
    await page.getByRole("button", { name: "Record" }).click();
    await page.getByRole("meter", { name: "Microphone level" }).waitFor();
    // The file that the microphone plays is never silent for so long.
    await page.getByText(/^[3-9]\.\d s$/).waitFor();
    await page.getByRole("button", { name: "Stop recording" }).click();
    await page.getByRole("region", { name: /^Words of recording/ }).waitFor();
    await inspect(page, "captions");
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);
}
