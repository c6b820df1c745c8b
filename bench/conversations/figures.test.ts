import { describe, expect, it } from "vitest";
import {
  conversationFigures,
  heldAims,
  interjectionFigures,
  mostThatHold,
  outcomeOf,
  ownTurns,
  peerRatios,
} from "./figures.js";
import type { CallerReport, InterjectionReport, QuestionReport } from "./messages.js";

const question = (change: Partial<QuestionReport> = {}): QuestionReport => ({
  type: "question",
  clip: 0,
  lastVoicedAtMs: 1000,
  audibleAtMs: 1500,
  spanMs: 2000,
  understood: "when do you open in the morning",
  answer: "We open at nine.",
  ...change,
});
const interjection = (
  type: InterjectionReport["type"],
  change: Partial<InterjectionReport> = {},
): InterjectionReport => ({
  type,
  clip: 0,
  silentAfterMs: 200,
  hasNewReply: false,
  isAudibleLate: true,
  understood: "",
  ...change,
});
const caller = (...steps: CallerReport["steps"]): CallerReport => ({ steps, problem: null });
const alone = (): number => 2000;
const nameOf = (clip: number): string => ["lj 1: Stop, please.", "lj 1: Wait."][clip] ?? "";

describe("the figures of a number of conversations", () => {
  it("measures answers, and counts questions that had none or were answered too soon", () => {
    const callers = [
      caller(question(), question({ audibleAtMs: 1700 })),
      caller(question({ audibleAtMs: null }), question({ audibleAtMs: 900 })),
    ];
    const figures = conversationFigures({ callers }, [], alone, nameOf);
    expect(figures).toMatchObject({ conversations: 2, questions: 4, unanswered: 1, early: 1 });
    expect(figures.latencyMs).toMatchObject({ p50: 500, p95: 700 });
    expect(figures.beyondSilenceMs).toMatchObject({ p50: 200, p95: 400 });
  });

  it("takes the silence that the words ask for: a short answer's is less, half a sentence's more", () => {
    const callers = [caller(question({ understood: "yes please" }), question({ understood: "i want to park my" }))];
    expect(conversationFigures({ callers }, [], alone, nameOf).beyondSilenceMs).toMatchObject({ p50: -600, max: 320 });
  });

  it("finds gaps by how much longer an answer lasts than alone, where that is known", () => {
    const callers = [
      caller(question({ spanMs: 2050 }), question({ spanMs: 2061 }), question({ spanMs: 9000, answer: "another" })),
    ];
    const known = ({ answer }: QuestionReport): number | null => (answer === "another" ? null : 2000);
    expect(conversationFigures({ callers }, [], known, nameOf)).toMatchObject({ answers: 2, answersWithGap: 1 });
  });

  it("measures silence only after interruptions that came while the agent spoke", () => {
    const callers = [
      caller(
        interjection("interruption", { silentAfterMs: 250 }),
        interjection("interruption", { silentAfterMs: null }),
        interjection("interruption", { silentAfterMs: 301, clip: 1 }),
        interjection("backchannel", { silentAfterMs: 900 }),
      ),
    ];
    const figures = conversationFigures({ callers }, [], alone, nameOf);
    expect(figures.interruptions).toBe(2);
    expect(figures.silentAfterMs).toMatchObject({ p50: 250, max: 301 });
    expect(figures.lateSilences).toEqual(["lj 1: Wait.: 301 ms"]);
  });
});

describe("the service's own figures", () => {
  const latency = (turnId: number, endpointingMs: number | null) => ({
    turn_id: turnId,
    total_ms: 450,
    endpointing_ms: endpointingMs,
    recognition_ms: 250,
    model_first_token_ms: 5,
    first_clause_ms: 5,
    first_audio_ms: 60,
  });
  const said = (turnId: number, content: string) => ({
    type: "message" as const,
    role: "user" as const,
    content,
    turn_id: turnId,
    created_at: null,
  });

  it("are those of what was spoken before anything was typed", () => {
    const session = {
      items: [
        said(1, "when do you open in the morning"),
        said(2, "yes"),
        said(3, "Tell me the story."),
        said(4, "stop"),
      ],
      turn_latencies: [latency(1, 310), latency(2, 190), latency(3, null), latency(4, 200)],
    };
    expect(ownTurns(session).map(({ silenceMs, endpointingMs }) => [silenceMs, endpointingMs])).toEqual([
      [300, 310],
      [180, 190],
    ]);
  });
});

describe("what became of a story that somebody spoke into", () => {
  it("is an answer, the rest of the story, or nothing", () => {
    expect(outcomeOf(interjection("backchannel", { hasNewReply: true }))).toBe("answered");
    expect(outcomeOf(interjection("backchannel"))).toBe("went-on");
    expect(outcomeOf(interjection("backchannel", { isAudibleLate: false }))).toBe("silent");
  });

  it("counts backchannels that stopped it, interruptions that did not, and names them", () => {
    const reports = [
      interjection("backchannel"),
      interjection("backchannel", { clip: 1, hasNewReply: true, understood: "him" }),
      interjection("backchannel", { clip: 2, isAudibleLate: false }),
      interjection("interruption", { clip: 3, understood: "hm" }),
      interjection("interruption", { hasNewReply: true }),
      interjection("interruption", { isAudibleLate: false }),
    ];
    expect(interjectionFigures(reports, (clip) => `clip ${clip}`)).toEqual({
      backchannels: 3,
      stopped: 2,
      interruptions: 3,
      missed: 1,
      unanswered: 1,
      wrong: ['clip 1: "him"', 'clip 2: ""', 'clip 3: "hm"'],
    });
  });
});

describe("the aims", () => {
  const own = (totalMs: number) => ({
    totalMs,
    endpointingMs: 300,
    recognitionMs: 200,
    firstAudioMs: 50,
    silenceMs: 300,
  });
  const run = (count: number, totalMs: number) => {
    const callers = Array.from({ length: count }, () => caller(question(), interjection("interruption")));
    return conversationFigures({ callers }, [own(totalMs)], alone, nameOf);
  };

  it("are held up to their limits", () => {
    expect(heldAims(run(1, 450)).every(({ isHeld }) => isHeld)).toBe(true);
    expect(
      heldAims(run(1, 451))
        .filter(({ isHeld }) => !isHeld)
        .map(({ aim }) => aim),
    ).toEqual(["reply p50 beyond silence"]);
  });

  it("are not held by what was not measured", () => {
    const nothing = conversationFigures({ callers: [caller(question())] }, [], alone, nameOf);
    expect(heldAims(nothing).filter(({ isHeld }) => !isHeld)).toHaveLength(3);
  });

  it("hold up to a number when they hold at all smaller ones", () => {
    expect(mostThatHold([run(8, 450), run(1, 440), run(4, 900)])).toBe(1);
    expect(mostThatHold([run(1, 440), run(4, 440)])).toBe(4);
    expect(mostThatHold([run(1, 900)])).toBeNull();
  });

  it("compare with the peer at the same number", () => {
    const peer = { conversations: 4, latencyMs: { p50: 1000, p95: 2000, p99: 2000, max: 2000 } };
    expect(peerRatios([run(1, 440), run(4, 440)], [peer])).toEqual([{ conversations: 4, p50: 0.5, p95: 0.25 }]);
  });
});
