import { expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { makeLimitedKey } from "./limited-key.js";
import { inspect, type OpenedPage, type Pages } from "./pages.js";

/** What the sections say to whoever may not, or asks for what there is not. */
export function describeRefusals(started: () => TestCluster, pages: Pages): void {
  async function signIn(scopes: string[]): Promise<OpenedPage> {
    const { baseUrl } = started();
    const opened = await pages.open({ colorScheme: "dark" });
    const data = { api_key: await makeLimitedKey(started(), scopes) };
    const answer = await opened.context.request.post(`${baseUrl}/v1/console/session`, { data });
    expect(answer.status()).toBe(201);
    return opened;
  }

  it("names the scope that a key lacks", async () => {
    const { context, page, complaints } = await signIn(["wallet"]);
    const lacking: [path: string, words: string][] = [
      ["speak", "may not speak: it lacks the scope speech."],
      ["transcribe", "may not transcribe: it lacks the scope transcription."],
      ["voices", "may not see voices: it lacks the scope voices."],
    ];
    for (const [path, words] of lacking) {
      await page.goto(`${started().baseUrl}/console/${path}`);
      await page.getByText(words).waitFor();
      expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    }
    await inspect(page, "no scope");
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);

  it("says why a text was not spoken", async () => {
    const { context, page, complaints } = await signIn(["speech"]);
    await page.goto(`${started().baseUrl}/console/speak?voice=nobody`);
    await page.getByText("This key may not list the team's voices.").waitFor();
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    const failure = page.getByRole("alert").getByText("The text was not spoken: Reference voice not found");
    await failure.waitFor();
    await page.getByLabel("Voice", { exact: true }).selectOption("Model's own");
    await page.getByRole("button", { name: "Speak", exact: true }).click();
    await failure.waitFor({ state: "detached" });
    await page.getByText(/ · (speaking|playing)$/).waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText(/ · done$/).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }, 60_000);
}
