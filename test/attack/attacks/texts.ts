import { encode } from "@msgpack/msgpack";
import type { Attack } from "../attack.js";
import { ask, authorized, closeOf, openSocket, repeatedly } from "../connection.js";

const MEGABYTE = 1_000_000;

/**
 * Texts that are cheap to write and were dear to index: titles that nearly match, spaces, marks, and texts that make as
 * many passages as there can be.
 */
const knowledgeTexts = [
  `# a${" ".repeat(4300)}b\n`.repeat(200),
  `# ${" ".repeat(MEGABYTE - 10)}x\u2028y`,
  `# a${" #".repeat(MEGABYTE / 2 - 10)}x`,
  "# a\n".repeat(MEGABYTE / 4),
  `${"a".repeat(60)}\n\n`.repeat(MEGABYTE / 62),
  "a\u0301\u0316".repeat(MEGABYTE / 5),
  `${"~".repeat(MEGABYTE / 2)}\n${"~".repeat(MEGABYTE / 2 - 10)}`,
  `${"aeiou".repeat(MEGABYTE / 5 - 10)}ingly`,
];

/** The control plane answers everybody, and reads these for one. */
export const hostileKnowledge: Attack = {
  name: "uploads knowledge of a megabyte that is hard to index",
  needsKey: true,
  async run(target, signal) {
    await repeatedly(2, signal, async () => {
      const form = new FormData();
      const text = knowledgeTexts[Math.floor(target.random() * knowledgeTexts.length)] ?? "";
      form.append("source", new Blob([text]), "a.md");
      form.append("name", `${" ".repeat(90)}#`);
      await ask(
        target,
        "/v1/agent/knowledge-sources",
        { method: "POST", headers: authorized(target), body: form },
        signal,
      );
    });
  },
};

/** Characters that nothing may be cut before. */
export const combiningMarks: Attack = {
  name: "speaks letters under hundreds of thousands of marks",
  needsKey: true,
  async run(target, signal) {
    const texts = [
      `a${"\u0301".repeat(200_000)}`,
      "a\u0301\u0316".repeat(60_000),
      `a${"\udc00".repeat(200_000)}`,
      `a${"\u{1f468}\u200d".repeat(80_000)}`,
    ];
    const headers = { ...authorized(target), "content-type": "application/json" };
    await repeatedly(2, signal, async (lane) => {
      const text = texts[Math.floor(target.random() * texts.length)] ?? "";
      if (lane === 0)
        return void (await ask(
          target,
          "/v1/tts",
          { method: "POST", headers, body: JSON.stringify({ text, format: "pcm" }) },
          AbortSignal.any([signal, AbortSignal.timeout(1000)]),
        ));
      const socket = await openSocket(target, { path: "/v1/tts/live", headers: authorized(target) }, signal);
      if (socket === null) return;
      const closed = closeOf(socket);
      socket.send(encode({ event: "start", request: { text: "", format: "pcm" } }));
      for (let at = 0; at < text.length; at += 1000)
        socket.send(encode({ event: "text", text: text.slice(at, at + 1000) }));
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000))]);
      socket.terminate();
    });
  },
};
