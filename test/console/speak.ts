import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { decodeWithFfmpeg, durationSeconds } from "../harness/audio.js";
import type { TestCluster } from "../harness/cluster.js";
import { recognize, wordErrors } from "../harness/recognizer.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { inspect, type Pages } from "./pages.js";
import { litWords, playedAudio, record } from "./played.js";

const run = promisify(execFile);

const SENTENCE = "Please open the window before you leave your house.";
const words = SENTENCE.replace(".", "").split(" ");

/** The page that speaks: its audio graph plays the words, which are lit meanwhile. */
export function describeSpeak(started: () => TestCluster, pages: Pages): void {
  it("plays a text while it is made, and lights each word as it sounds", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/speak", { colorScheme: "light" });
    await record(context);
    await page.reload();
    await page.getByLabel("Text", { exact: true }).fill(SENTENCE);
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    await page.getByText(/^First audio after \d+ ms · \d\.\d s · done$/).waitFor();
    expect(await page.getByRole("region", { name: "Spoken text" }).textContent()).toBe(SENTENCE);
    const lit = await litWords(page);
    // A word that sounds for less than a picture of a busy screen may be passed over.
    expect(lit.length).toBeGreaterThan(words.length / 2);
    expect(lit).toEqual(words.filter((word) => lit.includes(word)));
    const recognized = await recognize(await playedAudio(page));
    expect([recognized, wordErrors(SENTENCE, recognized).errors <= 2]).toEqual([recognized, true]);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download MP3" }).click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe("speech.mp3");
    expect(durationSeconds(await decodeWithFfmpeg(await readFile(await file.path())))).toBeGreaterThan(2);
    await page.getByText("How it is spoken").click();
    await inspect(page, "speak");
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);

  it("speaks what is being typed, and gives its request to copy", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/speak", { colorScheme: "dark" });
    await page.getByText("Speak while I type").click();
    const text = page.getByLabel("Text", { exact: true });
    await text.pressSequentially("The weather is fine today, and");
    // Its beginning sounds while its end is not written yet.
    await page.getByText(/^First audio after \d+ ms .* speaking$/).waitFor();
    await text.press("Home");
    await text.press("Delete");
    await page.getByText("What was sent cannot be taken back: put it back to go on.").waitFor();
    await text.press("T");
    await text.press("End");
    await text.pressSequentially(" so is she");
    await page.getByRole("button", { name: "That was all" }).click();
    await page.getByText(/^First audio after \d+ ms · \d\.\d s · done$/).waitFor();
    const spoken = await page.getByRole("region", { name: "Spoken text" }).textContent();
    expect(spoken).toBe("The weather is fine today, and so is she");
    await inspect(page, "speak while typing");
    await text.fill("It's a test.");
    await page.getByLabel("Format of the file").selectOption("wav");
    const directory = temporaryDirectory("snippet");
    const command = await page.getByRole("region", { name: "The request in curl" }).textContent();
    const environment = { PATH: process.env.PATH, PARLEY_API_KEY: started().apiKey };
    await run("bash", ["-c", command ?? ""], { cwd: directory.path, env: environment });
    expect(durationSeconds(await decodeWithFfmpeg(await readFile(join(directory.path, "speech.wav"))))).toBeGreaterThan(
      0.5,
    );
    directory.remove();
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);
}
