import { expect, it } from "vitest";
import { acceptedEncoding } from "./accepted-encoding.js";

it("takes the first encoding that the client does not refuse", () => {
  const chosen = (header: string | undefined) => acceptedEncoding(header, ["br", "gzip"]);
  expect(chosen("gzip, deflate, br, zstd")).toBe("br");
  expect(chosen("gzip;q=1.0, br;q=0")).toBe("gzip");
  expect(chosen("*;q=0.5")).toBe("br");
  expect(chosen("*, br;q=0.000")).toBe("gzip");
  expect(chosen(" GZIP ; q=0.2 ")).toBe("gzip");
  for (const header of [undefined, "", "identity", "br;q=0, gzip;q=0", "*;q=0", "deflate", "br;q=many"])
    expect([header, chosen(header)]).toEqual([header, null]);
});
