import { expect, it } from "vitest";
import { speechFigures, type SpeechRound } from "./figures.js";
import { speechPeersAims } from "./report.js";

it("compares Parley with each peer, round by round", () => {
  const round = (speed: number, first: number[]): SpeechRound => ({
    speed,
    processorMs: 1000 / speed,
    firstMs: { long: first },
  });
  const { ways, ratios } = speechFigures(
    ["piper", "Parley"],
    [
      [round(100, [200, 220, 210]), round(130, [20, 21, 90])],
      [round(90, [200]), round(135, [40])],
    ],
  );
  expect(ways.map(({ name }) => name)).toEqual(["piper", "Parley"]);
  expect(ways[1]?.firstMs["long"]).toMatchObject({ p50: 21, max: 90 });
  expect(ratios).toHaveLength(1);
  expect(ratios[0]?.to).toBe("piper");
  expect(ratios[0]?.speed).toEqual({ median: 1.3, min: 1.3, max: 1.5 });
  expect(ratios[0]?.firstAudio["long"]).toEqual({ median: 0.1, min: 0.1, max: 0.2 });
});

it("holds Parley to each peer's own aims", () => {
  const round = (speed: number, [short, long]: [number, number]): SpeechRound => ({
    speed,
    processorMs: 1000 / speed,
    firstMs: { "80 characters": [short], "400 characters": [long] },
  });
  const rounds = [[round(100, [60, 200]), round(100, [50, 100]), round(160, [10, 10]), round(150, [25, 20])]];
  const { ratios } = speechFigures(["piper's HTTP server", "wyoming-piper", "sherpa-onnx", "Parley"], rounds);
  expect(speechPeersAims({ ratios }).map(({ value }) => value)).toEqual([0.9375, 1.5, 0.1, 0.5]);
});
