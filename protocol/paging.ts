import { z } from "zod";
import { looseBoolean, queryInteger, queryIntegerOfAnySize } from "./loose.js";

/** Rows that `page` may skip at most. */
export const MAX_PAGE_OFFSET_ROWS = 100_000;

/** Query parameters that every list of the agents platform takes. `cursor` and `page` exclude each other. */
export const pageQuery = z.object({
  cursor: z.string().optional(),
  /** 1-based; one that begins too far behind is `page_out_of_range`, however many digits it has. */
  page: queryIntegerOfAnySize(1).optional(),
  /** Asks for `total` beside a cursor; with `page` it always comes. */
  include_total: looseBoolean(false),
  page_size: queryInteger(1, 100, 30),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** What every list answers besides its rows. */
export const pageEnvelope = z.object({
  has_more: z.boolean(),
  next_cursor: z.string().nullable(),
  total: z.int().nullable(),
});
export type PageEnvelope = z.infer<typeof pageEnvelope>;

/** An agent whose configuration refers to something. */
const dependentAgent = z.object({ agent_id: z.string(), name: z.string() });
/** Answer of the `/agents` lists below tools and knowledge sources. */
export const dependentAgents = z.object({ agents: z.array(dependentAgent), total: z.int() });
export type DependentAgents = z.infer<typeof dependentAgents>;
