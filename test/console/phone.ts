import { expect, it } from "vitest";
import type { TestCluster } from "../harness/cluster.js";
import { describeBrowser, inspect } from "./pages.js";

/** Phone numbers as the console shows them, on a machine with no LiveKit SIP and no account at Twilio. */
export function describePhone(started: () => TestCluster): void {
  const pages = describeBrowser(started);

  it("says what is wrong with a number to import, a search and a call, and what the operator has to set", async () => {
    const { context, page, complaints } = await pages.openSignedIn("/phone");
    await page.getByText("There is no number yet.").waitFor();
    await page.getByLabel("Number to import").fill("030 123456");
    await page.getByRole("button", { name: "Import the number" }).click();
    const importing = page.getByRole("form", { name: "Import a number" });
    await importing.locator(".problem").first().waitFor();
    await page.getByLabel("Number to import").fill("+4930123456");
    await page.getByLabel("Addresses that calls come from").fill("203.0.113.0/24, 198.51.100.7");
    await page.getByRole("button", { name: "Import the number" }).click();
    await page.getByText(/The number was not imported: .*livekit/i).waitFor();
    await page.getByLabel("Area code").fill("41");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText(/No numbers were found: .*area_code/).waitFor();
    await page.getByLabel("Area code").fill("415");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText(/No numbers were found: .*TWILIO_ACCOUNT_SID/).waitFor();
    expect(await page.getByRole("button", { name: "Call", exact: true }).isDisabled()).toBe(true);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await inspect(page, `phone, ${colorScheme}`);
    }
    // What the browser says of answers that refuse.
    expect(complaints.filter((complaint) => !/status of (422|502)/.test(complaint))).toEqual([]);
    await context.close();
  }, 120_000);
}
