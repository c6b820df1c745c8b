import { dispose } from "@livekit/rtc-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tone } from "#audio/testing/signals";
import { eventClaims, eventToken } from "#common/livekit/testing/event-token";
import { canRunChromium } from "../harness/chromium.js";
import { publishAgent } from "../conversations/open-talk.js";
import { canRunLiveKit, LIVEKIT_BUILD_MS } from "../harness/livekit.js";
import { until } from "../harness/processes.js";
import { answers, isBusy, isUnknown, isVoicemail, rejects, ringsOnly } from "../sip/telephone/behaviour.js";
import { exchangePhoneTones } from "../sip/exchange-tones.js";
import { describePhoneConsole } from "./console-phone.js";
import {
  askAloud,
  CHIEF,
  DOCTOR,
  NUMBER,
  type PlainPhonePlatform,
  SALES,
  startPhonePlatform,
  textsOf,
} from "./phone-platform.js";

describe.skipIf(!canRunLiveKit)("an agent on the telephone", () => {
  let platform: PlainPhonePlatform;
  const unanswered = [
    ["+4930100011", isBusy(), "busy"],
    ["+4930100012", rejects(), "busy"],
    ["+4930100013", isUnknown(), "failed"],
    ["+4930100014", ringsOnly(), "no_answer"],
  ] as const;
  /** Sessions of the calls to them, which take their time beside the others. */
  let dials: string[];

  beforeAll(async () => {
    platform = await startPhonePlatform();
    const { carrier } = platform.network;
    for (const [number, behaviour] of unanswered) carrier.script(number, behaviour);
    dials = await Promise.all(unanswered.map(([number]) => platform.dial(number)));
  }, LIVEKIT_BUILD_MS);
  afterAll(async () => {
    await platform?.stop();
    await dispose();
  });

  it("calls, is heard, hears a question, answers it aloud, and knows when it is hung up on", async () => {
    const { network } = platform;
    network.carrier.script("+4930100001", answers());
    const sessionId = await platform.dial("+4930100001");
    const phone = await platform.callTo("+4930100001");
    expect(phone.from).toBe(NUMBER);
    await platform.sessionWhen(sessionId, ({ status }) => status === "active", "an answer");
    await platform.untilRecognized(phone, /help you/);
    const askedAtMs = performance.now();
    await askAloud(platform, phone, "When do you open?", () =>
      platform.untilRecognized(phone, /nine/, askedAtMs, 10_000),
    );
    await phone.hangUp();
    const session = await platform.sessionWhen(sessionId, ({ status }) => status === "completed", "the end");
    expect(session).toMatchObject({
      ...{ source: "phone", direction: "outbound", dial_status: "answered", answered_by: "unknown" },
      ...{ caller_number: NUMBER, dialed_number: "+4930100001", ended_reason: "caller_left" },
    });
    const texts = textsOf(session);
    // The question may have come as soon as the last word was understood, which was not played to its end then.
    expect(texts[0]).toMatch(/^assistant: Hello, how can I help/);
    // It was hung up on while it spoke: of the answer, what was heard.
    expect(texts.some((text) => text.startsWith("assistant: We open at nine"))).toBe(true);
  }, 60_000);

  it("talks to a person, hangs up on a machine, and leaves its messages after the beep", async () => {
    const { carrier } = platform.network;
    const announcement =
      "Hi, this is Anna. I can't come to the phone right now. Please leave a message after the tone.";
    const [hello, greeting] = await Promise.all([platform.spoken("Hello?"), platform.spoken(announcement)]);
    const beep = tone(1000, 0.5, 8000, 0.3);
    carrier.script("+4930100021", answers(hello));
    carrier.script("+4930100022", isVoicemail(greeting, beep));
    const messages = [
      {
        number: "+4930100023",
        voicemail: { action: "leave_message", message: "Please call us back tomorrow morning." },
        ...{ text: "Please call us back tomorrow morning.", heard: /tomorrow morning/ },
      },
      {
        number: "+4930100024",
        voicemail: { action: "leave_prompt_message", message: "Remind them of their invoice." },
        // To a recognizer "do" sounds as "due" does.
        ...{ text: "Your invoice is due on Friday.", heard: /d(?:ue|o) on friday/ },
      },
    ];
    const leaving = messages.map(async ({ number, voicemail, text, heard }) => {
      let beepedAtMs = Number.POSITIVE_INFINITY;
      carrier.script(number, async (call) => {
        await isVoicemail(greeting, beep)(call);
        beepedAtMs = performance.now();
      });
      const messenger = await publishAgent(platform.cluster, {
        prompt: { first_message_mode: "fixed", first_message: "Hello, is anybody there?" },
        conversation: { outbound: { amd_enabled: true, voicemail } },
      });
      const sessionId = await platform.dial(number, messenger);
      const recorder = await platform.callTo(number);
      return async (): Promise<void> => {
        expect(await recorder.ended).toBe("remote");
        const left = await platform.sessionWhen(sessionId, isOver, "the end of the message");
        expect(left).toMatchObject(outcome);
        expect(textsOf(left)).toEqual([`assistant: ${text}`]);
        // Not a word before the beep, and the message to its end after it.
        const early = recorder.received.filter(({ atMs }) => atMs < beepedAtMs).flatMap(({ samples }) => [...samples]);
        expect(early.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(100);
        await platform.untilRecognized(recorder, heard, beepedAtMs);
      };
    });
    const isOver = ({ status }: { status: string }): boolean => status === "completed";
    const [toPerson, toMachine] = await Promise.all([platform.dial("+4930100021"), platform.dial("+4930100022")]);
    const [person, machine] = await Promise.all([platform.callTo("+4930100021"), platform.callTo("+4930100022")]);
    const outcome = { source: "phone", dial_status: "answered", answered_by: "voicemail", ended_reason: "voicemail" };

    expect(await machine.ended).toBe("remote");
    const hungUp = await platform.sessionWhen(toMachine, isOver, "the end at the machine");
    expect(hungUp).toMatchObject(outcome);
    expect(textsOf(hungUp)).toEqual([]);

    for (const isLeft of await Promise.all(leaving)) await isLeft();

    await platform.untilRecognized(person, /help you/);
    await person.hangUp();
    const talk = await platform.sessionWhen(toPerson, isOver, "the end of the talk");
    expect(talk).toMatchObject({ answered_by: "human", ended_reason: "caller_left" });
    expect(textsOf(talk)).toContain("assistant: Hello, how can I help you?");
  }, 90_000);

  it("knows who is busy, declines, does not exist or does not answer", async () => {
    const sessions = await Promise.all(
      dials.map((id) => platform.sessionWhen(id, ({ status }) => status === "failed", "the end of a dial")),
    );
    expect(sessions.map(({ dial_status: dial, started_at: startedAt }) => [dial, startedAt])).toEqual(
      unanswered.map(([, , dial]) => [dial, null]),
    );
    expect(sessions.every(({ ended_reason: reason }) => reason === "not_answered")).toBe(true);
    const ringing = await platform.callTo("+4930100014");
    expect(await ringing.ended).toBe("cancelled");
  }, 60_000);

  it("answers who calls, reads the keys they press, and says goodbye before it hangs up", async () => {
    const { carrier, standIn } = platform.network;
    const phone = await carrier.call({ address: standIn.address, to: NUMBER, from: "+4915112345678" });
    await platform.untilRecognized(phone, /help you/);
    const pressedAtMs = performance.now();
    await phone.sendDigits("42#");
    await platform.untilRecognized(phone, /forty.?two|42/, pressedAtMs);
    const byeAtMs = performance.now();
    let isOver = false;
    void phone.ended.then(() => {
      isOver = true;
    });
    // By telephone the recognizer takes a mere "Bye bye." for "nine nine".
    const untilOver = (): Promise<void> => until(() => isOver, { withinMs: 10_000, what: "the end" });
    await askAloud(platform, phone, "Okay, goodbye.", untilOver).catch(async (error: unknown) => {
      const texts = textsOf(await platform.session(await platform.newestInbound()));
      throw new Error(`it went on: ${texts.join(" / ")}`, { cause: error });
    });
    // "Goodbye then." by telephone: its last word was spoken before the line was cut.
    await platform.untilRecognized(phone, /bye?.? the[nm]/, byeAtMs);
    const session = await platform.sessionWhen(
      await platform.newestInbound(),
      ({ status }) => status === "completed",
      "the end",
    );
    expect(session).toMatchObject({
      ...{ direction: "inbound", dial_status: null, ended_reason: "agent_hung_up" },
      ...{ caller_number: "+4915112345678", dialed_number: NUMBER },
    });
    expect(textsOf(session)).toContain("user: [keypad: 42#]");
    // It was LiveKit that told of the call, and the edge believed it.
    expect(new Set(platform.webhook.statuses)).toEqual(new Set([204]));
  }, 60_000);

  it("takes LiveKit's word for calls, however often it comes, and nobody else's", async () => {
    const { network, webhook } = platform;
    const { apiKey, apiSecret } = network.liveKit;
    const said = webhook.messages.find(
      ({ body }) => body.includes("participant_joined") && body.includes(`phone-${platform.numberId}`),
    );
    if (said === undefined) throw new Error("LiveKit told of no call");
    const tell = async (authorization: string, body: string): Promise<number> => {
      const headers = {
        "content-type": "application/webhook+json",
        ...(authorization === "" ? {} : { authorization }),
      };
      return (await fetch(webhook.target ?? "", { method: "POST", headers, body })).status;
    };
    const { authorization, body } = said;
    const newest = await platform.newestInbound();
    expect(await Promise.all([tell(authorization, body), tell(authorization, body)])).toEqual([204, 204]);
    const old = eventClaims(apiKey, body, Date.now() - 3_600_000);
    const refused = [
      ...[
        tell("", body),
        tell(authorization, `${body} `),
        tell(authorization, ""),
        tell(`Bearer ${authorization}`, body),
      ],
      ...[tell(eventToken(old, apiSecret), body), tell(eventToken(eventClaims(apiKey, body, Date.now()), "x"), body)],
    ];
    expect(new Set(await Promise.all(refused))).toEqual(new Set([401]));
    expect(await tell(authorization, "x".repeat(600 * 1024))).toBe(413);
    expect(await platform.newestInbound()).toBe(newest);
  });

  it("transfers who calls by REFER, and is there again where that fails", async () => {
    const { carrier, standIn } = platform.network;
    const phone = await carrier.call({ address: standIn.address, to: NUMBER, from: "+4915112345679" });
    await platform.untilRecognized(phone, /help you/);
    phone.transferOutcome = "486 Busy Here";
    const askedAtMs = performance.now();
    await phone.sendDigits("1#");
    await platform.untilRecognized(phone, /busy/, askedAtMs);
    phone.transferOutcome = "200 OK";
    await phone.sendDigits("1#");
    await phone.ended;
    expect(phone.transfers).toEqual([`tel:${SALES}`, `tel:${SALES}`]);
    const session = await platform.sessionWhen(
      await platform.newestInbound(),
      ({ status }) => status === "completed",
      "the end",
    );
    expect(session).toMatchObject({
      ended_reason: "transferred",
      transfers: [
        { destination: "Sales", phone_number: SALES, mode: "cold", outcome: "busy", answered_at: null },
        { destination: "Sales", phone_number: SALES, mode: "cold", outcome: "transferred", connected_at: null },
      ],
    });
  }, 60_000);

  it("finds somebody for who calls, asks them first, and lets both talk until one hangs up", async () => {
    const { carrier, standIn } = platform.network;
    carrier.script(CHIEF, isBusy());
    carrier.script(DOCTOR, answers());
    const phone = await carrier.call({ address: standIn.address, to: NUMBER, from: "+4915112345680" });
    await platform.untilRecognized(phone, /help you/);
    const askedAtMs = performance.now();
    await phone.sendDigits("3#");
    await platform.untilRecognized(phone, /busy/, askedAtMs);
    await phone.sendDigits("2#");
    const doctor = await platform.callTo(DOCTOR);
    expect(doctor.from).toBe(NUMBER);
    await platform.untilRecognized(doctor, /ticket/);
    await doctor.sendDigits("1");
    await exchangePhoneTones(phone, doctor);
    await doctor.hangUp();
    expect(await phone.ended).toBe("remote");
    const session = await platform.sessionWhen(
      await platform.newestInbound(),
      ({ status }) => status === "completed",
      "the end",
    );
    const instant = expect.any(String);
    expect(session).toMatchObject({
      ended_reason: "transferred",
      transfers: [
        { destination: "Chief", mode: "warm", outcome: "busy", answered_at: null },
        { destination: "Doctor", mode: "warm", outcome: "transferred", answered_at: instant, connected_at: instant },
      ],
    });
    // What two people said to each other is not in the record.
    expect(textsOf(session).filter((text) => text.startsWith("user:"))).toEqual([
      "user: [keypad: 3#]",
      "user: [keypad: 2#]",
    ]);
  }, 60_000);

  it("connects who calls with whoever picks up, where nobody is to be asked", async () => {
    const { carrier, standIn } = platform.network;
    carrier.script(CHIEF, answers());
    const phone = await carrier.call({ address: standIn.address, to: NUMBER, from: "+4915112345681" });
    await platform.untilRecognized(phone, /help you/);
    const earlier = carrier.calls.length;
    await phone.sendDigits("3#");
    await until(() => carrier.calls.length > earlier, { withinMs: 20_000, what: "a call to the chief" });
    const chief = await platform.callTo(CHIEF);
    await exchangePhoneTones(phone, chief);
    await phone.hangUp();
    expect(await chief.ended).toBe("remote");
    const id = await platform.newestInbound();
    const session = await platform.sessionWhen(id, ({ status }) => status === "completed", "the end");
    const instant = expect.any(String);
    expect(session).toMatchObject({
      ended_reason: "transferred",
      transfers: [
        { destination: "Chief", mode: "warm", outcome: "transferred", answered_at: instant, connected_at: instant },
      ],
    });
  }, 60_000);

  describe.skipIf(!canRunChromium)("and the console", () => describePhoneConsole(() => platform));
});
