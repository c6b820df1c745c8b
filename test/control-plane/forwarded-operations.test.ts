import { expect, it } from "vitest";
import { LocalBus } from "#common/bus/testing/local-bus";
import { systemClock } from "#common/clock";
import type { Db } from "#control-plane/database/database";
import { controlRoutes } from "#control-plane/service";
import type { Operation } from "#protocol/operations/operation";
import { forwardedOperations } from "#protocol/operations/operations";
import { silentLog } from "./databases.js";
import { standInRecognizers, testDoors } from "./service.js";

/** Placeholders without their names: the rooms name them as they like. */
const line = ({
  method,
  path,
  scope,
  isKeyOptional,
}: Pick<Operation, "method" | "path" | "scope"> & { isKeyOptional?: boolean }): string => {
  return `${method} ${path.replace(/:\w+/g, ":")} for ${scope ?? "everyone"}${isKeyOptional === true ? " or nobody" : ""}`;
};

it("what edges forward is what the control plane answers, method by method, with the same scopes", () => {
  // Nothing of the database is read before a request comes.
  const routes = controlRoutes({
    bus: new LocalBus(),
    clock: systemClock,
    db: {} as Db,
    log: silentLog,
    ...standInRecognizers,
    ...testDoors(),
    now: () => new Date(),
    developmentKey: null,
  });
  expect(routes.length).toBeGreaterThan(40);
  expect(forwardedOperations.map(line).sort()).toEqual(routes.map(line).sort());
});
