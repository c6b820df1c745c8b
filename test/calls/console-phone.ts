import { expect, it } from "vitest";
import type { PhoneEntity } from "#protocol/agents/phone";
import { describeBrowser } from "../console/pages.js";
import { call } from "../conversations/open-talk.js";
import { answers } from "../sip/telephone/behaviour.js";
import type { PlainPhonePlatform } from "./phone-platform.js";

const IMPORTED = "+4930123457";
const FRIEND = "+4930100041";

/** The Phone section of the console where calls come through: a number from its import to its release. */
export function describePhoneConsole(started: () => PlainPhonePlatform): void {
  const pages = describeBrowser(() => started().cluster);

  const importedNumber = async (): Promise<PhoneEntity | undefined> => {
    const path = `/v1/agent/phone-numbers?phone_number=${encodeURIComponent(IMPORTED)}`;
    const { phone_numbers } = await call<{ phone_numbers: PhoneEntity[] }>(started().cluster, "GET", path);
    return phone_numbers.find(({ phone_number }) => phone_number === IMPORTED);
  };

  it("imports a number, has an agent call from it and answer it, and releases it", async () => {
    const { network, agentId, ...platform } = started();
    const { context, page, complaints } = await pages.openSignedIn("/phone");
    await page.getByLabel("Number to import").fill(IMPORTED);
    await page.getByLabel("Label").fill("Museum");
    await page.getByLabel("Addresses that calls come from").fill("127.0.0.1");
    await page.getByLabel("Where calls go out").fill(network.carrier.address);
    await page.getByRole("button", { name: "Import the number" }).click();
    const row = page.getByRole("row").filter({ hasText: IMPORTED });
    await row.getByText("active").waitFor();
    await row.getByText("your own trunk").waitFor();
    // What was imported is not there to be imported again.
    expect(await page.getByLabel("Number to import").inputValue()).toBe("");
    expect(await importedNumber()).toMatchObject({ label: "Museum", agent_id: null, status: "active" });

    network.carrier.script(FRIEND, answers());
    const calling = page.getByRole("form", { name: "Call somebody" });
    await calling.getByLabel("Agent that calls").selectOption(agentId);
    await calling.getByLabel("From").selectOption({ label: `${IMPORTED} (Museum)` });
    await calling.getByLabel("Number to call").fill("+4930");
    await calling.getByRole("button", { name: "Call", exact: true }).click();
    await calling.getByText(/The call was not made: /).waitFor();
    await calling.getByLabel("Number to call").fill(FRIEND);
    await calling.getByRole("button", { name: "Call", exact: true }).click();
    await calling.getByText("The agent is calling.").waitFor();
    const opened = calling.getByRole("link", { name: "Open the call" });
    const sessionId = (await opened.getAttribute("href"))?.split("/").at(-1) ?? "";
    const phone = await platform.callTo(FRIEND);
    expect(phone.from).toBe(IMPORTED);
    await platform.sessionWhen(sessionId, ({ status }) => status === "active", "an answer");

    const answering = page.getByLabel(`Who answers ${IMPORTED}`);
    await answering.selectOption(agentId);
    await expect.poll(async () => (await importedNumber())?.agent_id).toBe(agentId);
    await answering.selectOption({ label: "nobody: callers hear that it is busy" });
    await expect.poll(async () => (await importedNumber())?.agent_id).toBe(null);

    await platform.untilRecognized(phone, /help you/);
    await phone.hangUp();
    await platform.sessionWhen(sessionId, ({ status }) => status === "completed", "the end");
    await opened.click();
    // It was hung up on as soon as the last word was understood, which need not have been played to its end.
    await page
      .getByText(/Hello, how can I help/)
      .first()
      .waitFor();
    await page.goBack();

    await page.getByRole("button", { name: `Release ${IMPORTED}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await row.waitFor();
    await page.getByRole("button", { name: `Release ${IMPORTED}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Release" }).click();
    await row.waitFor({ state: "detached" });
    expect(await importedNumber()).toBeUndefined();
    const trunks = await network.sip.listSipInboundTrunk();
    expect(trunks.flatMap(({ numbers }) => numbers)).not.toContain(IMPORTED);
    // What the browser says of the answer to a number that is none.
    expect(complaints.filter((complaint) => !complaint.includes("status of 422"))).toEqual([]);
    await context.close();
  }, 90_000);
}
