import { expect, it } from "vitest";
import { readByteRange } from "./byte-range.js";

it.each([
  [undefined, "whole"],
  ["", "whole"],
  ["bytes=0-", { from: 0, to: 999 }],
  ["bytes=0-0", { from: 0, to: 0 }],
  ["bytes=10-19", { from: 10, to: 19 }],
  ["bytes=990-5000", { from: 990, to: 999 }],
  ["bytes=999-", { from: 999, to: 999 }],
  ["bytes=-1", { from: 999, to: 999 }],
  ["bytes=-5000", { from: 0, to: 999 }],
  ["bytes=1000-", "beyond"],
  ["bytes=5000-6000", "beyond"],
  ["bytes=-0", "beyond"],
  ["bytes=20-10", "whole"],
  ["bytes=0-1,5-6", "whole"],
  ["bytes=-", "whole"],
  ["seconds=0-1", "whole"],
  ["bytes=a-b", "whole"],
  ["bytes=9999999999999999999-", "whole"],
])("of a file of 1000 bytes, %j is %j", (header, range) => {
  expect(readByteRange(header, 1000)).toEqual(range);
});
