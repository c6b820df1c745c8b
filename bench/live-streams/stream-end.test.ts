import { expect, it } from "vitest";
import { errorCatalogue } from "#protocol/errors";
import { streamEnd } from "./stream-end.js";

it("calls a stream refused only where the service is full before any audio", () => {
  const { message } = errorCatalogue.overloaded;
  expect(streamEnd(null, 4096)).toBe("spoken");
  expect(streamEnd(message, 0)).toBe("refused");
  expect(streamEnd(message, 4096)).toBe("failed");
  expect(streamEnd("the connection broke", 0)).toBe("failed");
});
