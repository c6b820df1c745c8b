import { expect, it } from "vitest";
import { VirtualClock } from "#common/clock";
import { Upload } from "./upload.js";

/** An upload, whether its client may send, and how often that was allowed. */
function upload(announcedBytes: number | null = null): {
  upload: Upload;
  flows: () => boolean;
  resumes: () => number;
  clock: VirtualClock;
} {
  const clock = new VirtualClock();
  let isFlowing = true;
  let resumes = 0;
  const flow = (isOn: boolean) => (): void => {
    isFlowing = isOn;
    if (isOn) resumes++;
  };
  const throttle = { pause: flow(false), resume: flow(true) };
  return { upload: new Upload(announcedBytes, throttle, clock), flows: () => isFlowing, resumes: () => resumes, clock };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const piece = (bytes: number, value = 1): Uint8Array => new Uint8Array(bytes).fill(value);

it("gives a body piece by piece, what came before included", async () => {
  const { upload: body } = upload();
  body.receive(piece(2, 1), false);
  const seen: number[][] = [];
  const reading = (async () => {
    for await (const chunk of body.stream(100)) seen.push([...chunk]);
  })();
  await turn();
  body.receive(piece(1, 2), false);
  body.receive(piece(1, 3), false);
  await turn();
  expect(seen).toEqual([[1, 1], [2], [3]]);
  body.receive(piece(0), true);
  await reading;
});

it("holds the client up while nobody asks for more", async () => {
  const { upload: body, flows } = upload();
  const pieces = body.stream(10_000_000)[Symbol.asyncIterator]();
  const first = pieces.next();
  body.receive(piece(100_000), false);
  expect((await first).value).toHaveLength(100_000);
  expect(flows()).toBe(false);
  const second = pieces.next();
  await turn();
  expect(flows()).toBe(true);
  body.receive(piece(10), true);
  expect((await second).value).toHaveLength(10);
  expect((await pieces.next()).done).toBe(true);
});

it.each([
  ["announced", 101, 10],
  ["sent", null, 101],
])("refuses more than the limit as soon as it is %s", async (_, announced, sent) => {
  const { upload: body, flows } = upload(announced);
  body.receive(piece(sent), false);
  await expect(body.stream(100).next()).rejects.toMatchObject({
    code: "payload_too_large",
    parameters: { limitBytes: 100 },
  });
  expect(flows()).toBe(true);
});

it("holds the client up until the first piece is asked for", async () => {
  const { upload: body, flows } = upload();
  const pieces = body.stream(100);
  expect(flows()).toBe(false);
  const first = pieces.next();
  expect(flows()).toBe(true);
  body.receive(piece(1), false);
  expect((await first).value).toEqual(piece(1));
});

it("does not hold up a client that has sent all", async () => {
  const { upload: body, flows } = upload();
  body.receive(piece(1), true);
  expect((await body.stream(100).next()).value).toEqual(piece(1));
  expect(flows()).toBe(true);
});

it("puts the engine's own limit off while the body is read, however little comes, and no longer", async () => {
  const { upload: body, resumes, clock } = upload();
  const pieces = body.stream(1000);
  const reading = (async () => {
    for await (const _ of pieces);
  })();
  for (let second = 0; second < 12; second++) {
    clock.advance(1000);
    body.receive(piece(1), false);
    await turn();
  }
  const FIRST_AND_PUT_OFF = 1 + 3;
  expect(resumes()).toBe(FIRST_AND_PUT_OFF);
  body.receive(piece(1), true);
  await reading;
  clock.advance(60_000);
  expect(resumes()).toBe(FIRST_AND_PUT_OFF);
});

it("does not put it off for a reader that gave up between two pieces", async () => {
  const { upload: body, resumes, clock } = upload();
  const pieces = body.stream(1000);
  body.receive(piece(1), false);
  await pieces.next();
  body.discard(new Error("answered"));
  const afterTheAnswer = resumes();
  clock.advance(60_000);
  expect(resumes()).toBe(afterTheAnswer);
});

it("ends when the body does not matter any more", async () => {
  const { upload: body } = upload();
  const next = body.stream(100).next();
  await turn();
  body.discard(new Error("gone"));
  await expect(next).rejects.toThrow("gone");
});
