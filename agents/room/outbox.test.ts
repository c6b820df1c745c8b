import { describe, expect, it } from "vitest";
import { Outbox } from "./outbox.js";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the outbox of a room", () => {
  it("sends in order, one at a time, and goes on after a failure", async () => {
    const sent: string[] = [];
    const failures: unknown[] = [];
    const outbox = new Outbox((error) => failures.push(error));
    let sending = 0;
    const send = (name: string) => async (): Promise<void> => {
      sending += 1;
      expect(sending).toBe(1);
      await settle();
      sending -= 1;
      if (name === "b") throw new Error(name);
      sent.push(name);
    };
    for (const name of ["a", "b", "c"]) outbox.add(send(name));
    await outbox.flush();
    expect(sent).toEqual(["a", "c"]);
    expect(failures).toHaveLength(1);
  });

  it("sends the last of what replaces each other", async () => {
    const sent: number[] = [];
    const outbox = new Outbox(() => undefined);
    for (let count = 0; count < 5; count++) {
      outbox.replace("state", async () => {
        await settle();
        sent.push(count);
      });
    }
    await outbox.flush();
    expect(sent).toEqual([0, 4]);
  });
});
