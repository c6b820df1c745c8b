import { expect, it } from "vitest";
import { inspect, type Pages } from "./pages.js";
import type { MediaElement } from "./played.js";

/** The page of saved voices: one is made from the microphone, heard, found, edited and deleted. */
export function describeVoices(pages: Pages): void {
  it("makes a voice from a recording, and hears, finds, edits and deletes it", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/voices", { colorScheme: "light" });
    await page.getByText("The team has no voice yet.").waitFor();
    await page.getByRole("button", { name: "New voice" }).click();
    const making = page.getByRole("dialog", { name: "A new voice" });
    await making.getByLabel("Title").fill("Anna");
    await making.getByLabel("Tags").fill("calm, low");
    await making.getByRole("button", { name: "Record" }).click();
    await making.getByRole("meter", { name: "Microphone level" }).waitFor();
    await making.getByText(/^[4-9]\.\d s$/).waitFor();
    await making.getByRole("button", { name: "Stop recording" }).click();
    await making.getByLabel(/^What is said in recording/).fill("The weather will be cold.");
    await page.emulateMedia({ colorScheme: "dark" });
    await inspect(page, "new voice");
    await making.getByRole("button", { name: "Make the voice" }).click();
    await page.getByText("Private: the team alone · en · calm · low · 0 uses").waitFor();

    await page.getByRole("button", { name: "Hear Anna" }).click();
    const said = page.getByLabel("Anna says its sentence");
    await expect.poll(() => said.evaluate((audio: MediaElement) => audio.currentTime)).toBeGreaterThan(0.5);
    expect(await said.evaluate((audio: MediaElement) => audio.duration)).toBeGreaterThan(1.5);
    await page.getByText("Recordings", { exact: true }).click();
    await page.getByText("The weather will be cold.").waitFor();
    const recording = page.getByLabel(/^recording .* of Anna$/);
    await recording.evaluate((audio: MediaElement) => audio.play());
    expect(await recording.evaluate((audio: MediaElement) => audio.duration)).toBeGreaterThan(3.5);

    await page.getByRole("button", { name: "Edit Anna" }).click();
    const editing = page.getByRole("dialog", { name: "Edit Anna" });
    await editing.getByLabel("Title").fill("Berta");
    await editing.getByLabel("Who may use it").selectOption("public");
    await editing.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Berta" }).waitFor();
    await page.getByLabel("Search").fill("anna");
    await page.getByText('No title has "anna" in it.').waitFor();
    await page.getByLabel("Search").fill("BERT");
    await page.getByText("1 voice, page 1 of 1").waitFor();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await inspect(page, `voices, ${colorScheme}`);
    }
    await page.getByRole("link", { name: "Speak with it" }).click();
    await expect.poll(() => page.getByLabel("Voice", { exact: true }).inputValue()).toMatch(/^\w{8,}/);
    await page.goBack();

    await page.getByRole("button", { name: "Delete Berta" }).click();
    const asked = page.getByRole("dialog", { name: "Delete Berta?" });
    await asked.getByRole("button", { name: "Cancel" }).click();
    await asked.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Delete Berta" }).click();
    await asked.getByRole("button", { name: "Delete it" }).click();
    await page.getByText("The team has no voice yet.").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);
}
