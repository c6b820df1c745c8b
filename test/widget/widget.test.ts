import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SessionDetail } from "#protocol/agents/session";
import { type ScriptedEndpoint, startScriptedEndpoint } from "#agents/model/testing/scripted-endpoint";
import { inspect } from "../console/pages.js";
import { call, publishAgent, recognize } from "../conversations/open-talk.js";
import { canRunChromium, startChromium } from "../harness/chromium.js";
import { allModels, startCluster, type TestCluster } from "../harness/cluster.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS, startLiveKit, type TestLiveKit } from "../harness/livekit.js";
import { writeQuestionFile } from "../harness/question-file.js";
import { temporaryDirectory } from "../harness/temporary-directory.js";
import { type EmbeddingPage, serveEmbeddingPage } from "./embedding-page.js";
import { eventNames, receivedSamples, installProbe, microphonesOn, PROBE_RATE, shadowModes } from "./page-probe.js";

/** Three of these tests hold a call, and the last one uses up the rest. */
const SESSIONS_PER_ADDRESS = 4;

/** One node of what a screen reader is given. */
interface AccessibleNode {
  role?: { value: string };
  name?: { value: string };
}

describe.skipIf(!canRunLiveKit || !canRunChromium)("the widget, on a page of another origin", () => {
  const directory = temporaryDirectory("widget");
  let livekit: TestLiveKit;
  let endpoint: ScriptedEndpoint;
  let cluster: TestCluster;
  let shop: EmbeddingPage;
  let browser: Browser;
  let agentId: string;

  beforeAll(async () => {
    [livekit, endpoint] = await Promise.all([
      startLiveKit(),
      startScriptedEndpoint(({ messages }) => {
        const last = messages.at(-1);
        if (last?.role === "tool") return [{ text: `The sign is ${last.content}.` }, { finish: "stop" }];
        if (last?.role === "user" && last.content.includes("sign"))
          return [{ call: { id: "c1", name: "look_at", arguments: '{"what":"sign"}' } }, { finish: "tool_calls" }];
        return [{ text: "We open at nine in the morning." }, { finish: "stop" }];
      }),
    ]);
    cluster = await startCluster({
      models: allModels,
      agents: 1,
      settings: {
        LIVEKIT_URL: livekit.url,
        LIVEKIT_API_KEY: livekit.apiKey,
        LIVEKIT_API_SECRET: livekit.apiSecret,
        LLM_BASE_URL: endpoint.baseUrl,
        LLM_MODEL: "scripted",
        PARLEY_DEMO: "on",
        PARLEY_PUBLIC_SESSIONS_PER_ADDRESS: String(SESSIONS_PER_ADDRESS),
      },
    });
    shop = await serveEmbeddingPage(cluster.baseUrl);
    const { tool_id: toolId } = await call<{ tool_id: string }>(cluster, "POST", "/v1/agent/tools", {
      name: "look_at",
      tool_type: "client",
      description: "Looks at something on the page.",
      arguments: [{ name: "what", description: "what to look at" }],
    });
    agentId = await publishAgent(cluster, { prompt: { first_message_mode: "off" }, tools: { tool_ids: [toolId] } });
    const change = { name: "Shop guide", public_enabled: true, allowed_origins: [shop.origin, cluster.baseUrl] };
    await call(cluster, "PATCH", `/v1/agent/agents/${agentId}`, change);
    browser = await startChromium(await writeQuestionFile(cluster, { folder: directory.path, silenceSeconds: 7 }));
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await browser?.close();
    shop?.close();
    await cluster?.stop();
    await Promise.all([livekit?.stop(), endpoint?.close()]);
    directory.remove();
  });

  /** A page, and what its policy and its scripts complained of. */
  async function openPage(
    options: Parameters<Browser["newContext"]>[0] & { isProbed?: boolean } = {},
  ): Promise<{ context: BrowserContext; page: Page; complaints: string[] }> {
    const { isProbed = true, ...rest } = options;
    const context = await browser.newContext({ permissions: ["microphone"], ...rest });
    context.setDefaultTimeout(30_000);
    if (isProbed) await installProbe(context);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      const text = message.text();
      // A refusal is what some of these pages are for.
      if (message.type() === "error" && !/status of (403|429)/.test(text)) complaints.push(text);
    });
    return { context, page, complaints };
  }

  const session = (id: string): Promise<SessionDetail> => call(cluster, "GET", `/v1/agent/sessions/${id}`);
  /** The visitors' sessions so far, the newest first. */
  async function newestSession(): Promise<SessionDetail> {
    const path = `/v1/agent/sessions?agent_id=${agentId}&status=active,completed,failed`;
    const { sessions } = await call<{ sessions: { session_id: string }[] }>(cluster, "GET", path);
    return await session(sessions[0]?.session_id ?? "");
  }

  it("holds a spoken call, with captions of both sides, and neither page reaches into the other", async () => {
    const { context, page, complaints } = await openPage();
    await page.goto(shop.url({ "agent-id": agentId, colour: "gold" }));
    await page.getByRole("button", { name: "Talk to us" }).click();
    await page.getByRole("heading", { name: "Shop guide" }).waitFor();
    expect(await shadowModes(page)).toEqual(["closed"]);
    expect(await page.evaluate("probe.microphoneAsked")).toBe(0);
    const scripts =
      "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/widget/livekit-')).length";
    expect(await page.evaluate(scripts)).toBe(0);
    await page.getByRole("button", { name: "Start call" }).click();
    await expect.poll(() => page.evaluate("probe.microphoneAsked")).toBe(1);
    await expect.poll(() => page.evaluate(scripts)).toBe(1);
    await page.getByText("We open at nine in the morning.").first().waitFor();
    // A call may begin in the middle of what the microphone plays.
    await expect
      .poll(() => page.locator("li.user").allInnerTexts())
      .toContainEqual(expect.stringMatching(/open|when/i));
    await inspect(page, "call");
    await page.getByText("Listening", { exact: true }).first().waitFor();
    // A busy machine loses packets, and with them a word.
    expect(await recognize(cluster, await receivedSamples(page), PROBE_RATE)).toMatch(/in the morning/);
    const styles = await page.evaluate<string[]>(`(() => {
      const { color, fontSize, textTransform, display } = getComputedStyle(document.querySelector("parley-agent").shadowRoot.querySelector("button.end"));
      return [color === "rgb(255, 0, 0)" ? "red" : "own colour", fontSize, textTransform, display === "none" ? "hidden" : "shown"];
    })()`);
    expect(styles).toEqual(["own colour", "15px", "none", "shown"]);
    expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).marginTop")).not.toBe("0px");
    expect(await microphonesOn(page)).toEqual([true]);
    await page.getByRole("button", { name: "Mute" }).click();
    await page.getByText("Your microphone is off").waitFor();
    await expect.poll(() => microphonesOn(page)).toEqual([false]);
    await page.evaluate(`document.querySelector("parley-agent").addEventListener("tool-call", ({ detail }) =>
      detail.respond(Promise.resolve("blue, says " + detail.toolName)))`);
    await page.getByRole("textbox", { name: "Write a message" }).fill("What colour is the sign?");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("The sign is blue, says look_at.").first().waitFor();
    await page.getByRole("button", { name: "Mute", pressed: true }).click();
    await expect.poll(() => microphonesOn(page)).toEqual([true]);
    await page.getByRole("button", { name: "End call" }).click();
    await page.getByText("The call is over.").first().waitFor();
    await expect.poll(async () => (await newestSession()).status).toBe("completed");
    const { source, ended_reason: reason, items } = await newestSession();
    expect([source, reason]).toEqual(["public", "caller_left"]);
    const texts = items.flatMap((item) => (item.type === "message" ? [`${item.role}: ${item.content}`] : []));
    expect(texts).toContain("assistant: We open at nine in the morning.");
    expect(texts.slice(-2)).toEqual(["user: What colour is the sign?", "assistant: The sign is blue, says look_at."]);
    const events = await eventNames(page);
    expect(events.slice(0, 3)).toEqual(["open", "connecting", "listening"]);
    expect(events).toEqual(expect.arrayContaining(["thinking", "speaking"]));
    expect(events.at(-1)).toBe("ended");
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);

  it("is used with the keyboard alone, in writing, behind a root that no script looks into", async () => {
    const { context, page, complaints } = await openPage({ isProbed: false, permissions: [] });
    const attributes = { "agent-id": agentId, "end-user-id": "u-7", metadata: '{"basket": 3}' };
    await page.goto(shop.url(attributes, 'type="module"'));
    await page.waitForFunction("customElements.get('parley-agent')");
    expect(await page.evaluate("document.querySelector('parley-agent').shadowRoot")).toBeNull();
    await page.evaluate(`(() => {
      window.keys = [];
      document.addEventListener("keydown", ({ key }) => window.keys.push(key));
      document.querySelector("parley-agent").registerTool("look_at", ({ what }) => "a green " + what);
    })()`);
    const accessible = await context.newCDPSession(page);
    const nodes = async (): Promise<string[]> => {
      const tree = (await accessible.send("Accessibility.getFullAXTree")) as { nodes: AccessibleNode[] };
      return tree.nodes.map(({ role, name }) => `${role?.value}: ${name?.value}`);
    };
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expect.poll(nodes).toContain("button: Start call");
    // The keyboard stands on "Start call"; what follows is the field.
    await page.keyboard.press("Tab");
    await page.keyboard.type("What colour is the sign?");
    await page.keyboard.press("Enter");
    await expect.poll(nodes, { timeout: 30_000 }).toContain("StaticText: The sign is a green sign.");
    await expect.poll(nodes).toContain("button: Use microphone");
    // Nothing of what was typed has reached the page's shortcuts.
    expect(await page.evaluate("keys")).toEqual(["Tab"]);
    await page.keyboard.press("Escape");
    await expect.poll(nodes).not.toContain("button: End call");
    expect(await page.evaluate("document.querySelector('parley-agent').hasAttribute('open')")).toBe(false);
    await page.keyboard.press("Enter");
    await expect.poll(nodes).toContain("button: End call");
    await page.keyboard.press("Enter");
    await expect.poll(nodes).toContain("StaticText: The call is over.");
    await expect.poll(async () => (await newestSession()).status).toBe("completed");
    const { items, metadata } = await newestSession();
    expect(metadata).toEqual({ basket: 3 });
    expect(items.map(({ type }) => type)).toEqual(["message", "tool_call", "tool_result", "message"]);
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);

  it("says in words that a page of a third origin may not call", async () => {
    const { context, page, complaints } = await openPage();
    await page.goto(shop.url({ "agent-id": agentId, open: "" }).replace("127.0.0.1", "localhost"));
    await page.getByRole("heading", { name: "Assistant" }).waitFor();
    await page.getByRole("button", { name: "Start call" }).click();
    await page.getByRole("alert").getByText("Calls from this page are not allowed.").waitFor();
    expect(await eventNames(page)).toEqual(["connecting", "failed"]);
    await page.getByRole("button", { name: "Start call" }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("says in words that the microphone is refused, and begins nothing", async () => {
    const { context, page } = await openPage();
    await page.goto(shop.url({ "agent-id": agentId, open: "" }));
    await page.evaluate(
      "navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))",
    );
    let asked = 0;
    page.on("request", (request) => {
      if (request.method() === "POST") asked += 1;
    });
    await page.getByRole("button", { name: "Start call" }).click();
    await page.getByRole("alert").getByText("did not allow the microphone").waitFor();
    expect(asked).toBe(0);
    await context.close();
  });

  it.each(["light", "dark"] as const)("keeps nobody out, in a corner and in the page, %s", async (colorScheme) => {
    const { context, page, complaints } = await openPage({ colorScheme });
    await page.goto(shop.url({ "agent-id": agentId, open: "" }));
    await page.getByRole("heading", { name: "Shop guide" }).waitFor();
    await inspect(page, "in a corner");
    await page.setViewportSize({ width: 360, height: 640 });
    const { x = -1, width = 361 } = (await page.getByRole("region", { name: "Shop guide" }).boundingBox()) ?? {};
    expect([x >= 0, x + width <= 360]).toEqual([true, true]);
    await page.goto(shop.url({ "agent-id": agentId, position: "inline", lang: "de", colour: "#ffd" }));
    await page.getByRole("button", { name: "Anrufen" }).waitFor();
    expect(await page.getByRole("button").allInnerTexts()).toEqual(["Anrufen", ""]);
    await inspect(page, "in the page");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is on the demo page, whose policy lets it call, and stands still where less motion is wanted", async () => {
    const { context, page, complaints } = await openPage({ reducedMotion: "reduce" });
    await page.goto(`${cluster.baseUrl}/demo`);
    await page.getByLabel("Id of the agent").fill(agentId);
    await page.getByRole("button", { name: "Show" }).click();
    // Its browser names no origin to the service that the page is of.
    await page.getByRole("heading", { name: "Shop guide" }).waitFor();
    await inspect(page, "demo");
    await page.getByRole("textbox", { name: "Write a message" }).fill("When do you open?");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByText("We open at nine in the morning.").first().waitFor();
    await page.getByText("Listening", { exact: true }).first().waitFor();
    const dot = `getComputedStyle(document.querySelector("parley-agent").shadowRoot.querySelector(".status"), "::before")`;
    expect(await page.evaluate(`[${dot}.width, ${dot}.animationName]`)).toEqual(["8px", "none"]);
    await page.getByRole("button", { name: "End call" }).click();
    expect(complaints).toEqual([]);
    await context.close();
  }, 120_000);

  it("says in words that there are too many calls", async () => {
    const { context, page } = await openPage();
    /** What a call comes to, in a minute in which no more may begin: another minute may begin in between. */
    const refusal = async (): Promise<string> => {
      await page.goto(shop.url({ "agent-id": agentId, open: "" }));
      await useUpSessions();
      await page.getByRole("button", { name: "Start call" }).click();
      await expect.poll(() => eventNames(page)).toContainEqual(expect.stringMatching(/failed|listening/));
      return (await page.getByRole("alert").allInnerTexts()).join();
    };
    const words = "There are too many calls right now. Try again in a minute.";
    if ((await refusal()) !== words) expect(await refusal()).toBe(words);
    await context.close();
  }, 120_000);

  async function useUpSessions(): Promise<void> {
    for (let status = 0; status !== 429; ) {
      const answer = await fetch(`${cluster.baseUrl}/v1/agent/sessions`, {
        method: "POST",
        headers: { origin: shop.origin, "content-type": "application/json" },
        body: JSON.stringify({ agent_id: agentId }),
      });
      ({ status } = answer);
    }
  }
});
