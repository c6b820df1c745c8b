import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import type { KnowledgeList } from "#protocol/knowledge";
import { usePages } from "../../api/pages.js";
import { useDebouncedSearch } from "../../parts/debounced-search.js";
import { MoreButton } from "../../parts/more-button.js";
import { TextField } from "../../parts/text-field.js";
import { FailureNote } from "../../shell/failure-note.js";
import { draftQuery } from "../agent-queries.js";
import { useAttachment } from "../agent/use-attachment.js";
import { AddSource } from "./add-source.js";
import { KNOWLEDGE, knowledgeKey } from "./knowledge-queries.js";
import { SearchTrial } from "./search-trial.js";
import { Source } from "./source.js";

/** The tab with the team's knowledge sources: which of them this agent answers from, and what is found in them. */
export function Knowledge() {
  const { agentId } = useParams({ from: "/signed-in/agents/$agentId" });
  const [search, setSearch] = useState("");
  const asked = useDebouncedSearch(search);
  const draft = useQuery(draftQuery(agentId));
  const pages = usePages<KnowledgeList>(
    [...knowledgeKey, "list", asked],
    `${KNOWLEDGE}?${new URLSearchParams({ search: asked })}`,
    { isShownMeanwhile: true },
  );
  const attachment = useAttachment(agentId, (ids) => ({ knowledge_base: { knowledge_source_ids: ids } }));
  const error = draft.error ?? pages.error;
  const sources = pages.data?.pages.flatMap((page) => page.knowledge_sources);
  const base = draft.data?.knowledge_base;
  return (
    <>
      <div className="heading-line">
        <h2>Knowledge</h2>
        <AddSource />
      </div>
      <p className="soft">
        All agents of your team share the sources. What is attached changes the draft; calls have it once you publish.
      </p>
      {base === undefined || base.enabled || base.knowledge_source_ids.length === 0 ? null : (
        <p className="note warn">This agent does not use knowledge: switch it on in its configuration.</p>
      )}
      {error === null ? null : <FailureNote doing="The sources cannot be read" error={error} />}
      {attachment.error === null ? null : <FailureNote doing="Nothing was changed" error={attachment.error} />}
      {base === undefined ? null : <SearchTrial sourceIds={base.knowledge_source_ids} />}
      <div className="filters">
        <TextField label="Find a source" help="In names and file names." value={search} onChange={setSearch} />
      </div>
      {sources === undefined || base === undefined ? null : sources.length === 0 ? (
        <p className="note">
          {asked === ""
            ? "There is no source yet. Add one: text that the agent answers from, such as opening hours or a price list."
            : "No source's name has this in it."}
        </p>
      ) : (
        <ul className="records">
          {sources.map((source) => (
            <li key={source.knowledge_source_id} className="card">
              <Source
                source={source}
                isAttached={base.knowledge_source_ids.includes(source.knowledge_source_id)}
                isPending={attachment.isPending}
                onAttach={(isOn) => attachment.change(base.knowledge_source_ids, source.knowledge_source_id, isOn)}
              />
            </li>
          ))}
        </ul>
      )}
      <MoreButton pages={pages} />
    </>
  );
}
