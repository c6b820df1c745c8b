import { describe, expect, it } from "vitest";
import { environmentOf, lastOf, readStages } from "./dockerfile.js";

const stages = readStages(`# syntax=docker/dockerfile:1
FROM node:20 AS build
WORKDIR /app
RUN one \\
 # a comment between
 && two \\
 && three

FROM build AS final
COPY --from=build /app/dist dist
ENV A=1 B=x=y
CMD ["node", "first.js"]
CMD ["node", "last.js"]
`);

describe("the stages of a Dockerfile", () => {
  it("have names, where they come from, and instructions whose lines are joined", () => {
    expect(stages.map(({ name, from }) => [name, from])).toEqual([
      ["build", "node:20"],
      ["final", "build"],
    ]);
    expect(stages[0]?.instructions.at(-1)?.text.split(/ +/).join(" ")).toBe("one && two && three");
  });

  it("have an environment, and of what is said twice the last", () => {
    expect(environmentOf(stages[1]!)).toEqual({ A: "1", B: "x=y" });
    expect(lastOf(stages[1]!, "CMD")).toBe('["node", "last.js"]');
  });
});
