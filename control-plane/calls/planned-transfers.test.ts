import { expect, it } from "vitest";
import { namedDestinations } from "./planned-transfers.js";

it("gives every destination of a transfer a name of its own", () => {
  const configured = [
    ["Sales", "+4930111"],
    ["", "+4930222"],
    [" Sales ", "+4930333"],
    ["Sales", "+4930333"],
  ].map(([label = "", number = ""]) => ({
    ...{ type: "phone" as const, label, phone_number: number, mode: "cold" as const, warm_connect: "confirm" as const },
  }));
  expect(namedDestinations(configured).map(({ name, phoneNumber }) => [name, phoneNumber])).toEqual([
    ["Sales", "+4930111"],
    ["+4930222", "+4930222"],
    ["Sales (+4930333)", "+4930333"],
  ]);
});
