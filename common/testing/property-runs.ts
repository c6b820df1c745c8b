import fc from "fast-check";
import { howMany } from "./how-many.js";

// For properties that say no number of runs of their own.
fc.configureGlobal({ numRuns: howMany(100) });
