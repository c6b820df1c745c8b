import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ModelList } from "#protocol/voices";
import { ask } from "../api/request.js";
import { useDebouncedSearch } from "../parts/debounced-search.js";
import { usePageTitle } from "../parts/page-title.js";
import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import { ScopeGate } from "../session/scope.js";
import { FailureNote } from "../shell/failure-note.js";
import { CreateVoice } from "./create-voice.js";
import { VoiceCard } from "./voice-card.js";
import { listPath } from "./voice-details.js";
import "./voices.css";

const PAGE_SIZE = 10;

const owners = [
  { value: "own", label: "Of the team" },
  { value: "public", label: "Public ones" },
] as const;

/** Saved voices: found, heard, made, changed and deleted. */
export function Voices() {
  usePageTitle("Voices");
  return (
    <>
      <h1>Voices</h1>
      <ScopeGate scope="voices" doing="see voices">
        <VoiceList />
      </ScopeGate>
    </>
  );
}

function VoiceList() {
  const [search, setSearch] = useState("");
  const [owner, setOwner] = useState<"own" | "public">("own");
  const [page, setPage] = useState(1);
  const [isCreating, setCreating] = useState(false);
  const title = useDebouncedSearch(search);
  const isOwn = owner === "own";
  const asked = { title, isOwn, page, pageSize: PAGE_SIZE };
  const { data, error } = useQuery({
    queryKey: ["voices", asked],
    queryFn: () => ask<ModelList>("GET", listPath(asked)),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="voice-search">
        <TextField
          label="Search"
          type="search"
          value={search}
          onChange={(words) => {
            setSearch(words);
            setPage(1);
          }}
        />
        <SelectField
          label="Which"
          value={owner}
          choices={owners}
          onChange={(chosen) => {
            setOwner(chosen);
            setPage(1);
          }}
        />
        <Button className="button" onPress={() => setCreating(true)}>
          New voice
        </Button>
      </div>
      <CreateVoice isOpen={isCreating} onClose={() => setCreating(false)} />
      {error === null ? null : <FailureNote doing="The voices cannot be listed" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : null}
      {data?.total === 0 ? <p className="soft">{nothingFound(title, isOwn)}</p> : null}
      <ul className="voices">
        {(data?.items ?? []).map((voice) => (
          <VoiceCard key={voice._id} voice={voice} isOwn={isOwn} />
        ))}
      </ul>
      {data === undefined || data.total === 0 ? null : <Pages {...{ page, list: data, onPage: setPage }} />}
    </>
  );
}

/** What to do where the list is empty. */
function nothingFound(title: string, isOwn: boolean): string {
  if (title !== "") return `No title has "${title}" in it.`;
  if (!isOwn) return "Nobody has made a voice public yet.";
  return "The team has no voice yet. Press New voice, and record some seconds of speech.";
}

function Pages({ page, list, onPage }: { page: number; list: ModelList; onPage: (page: number) => void }) {
  const pages = Math.max(1, Math.ceil(list.total / PAGE_SIZE));
  return (
    <nav className="actions" aria-label="Pages">
      <Button className="button quiet" isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
        Previous
      </Button>
      <span role="status">
        {list.total.toLocaleString("en")} {list.total === 1 ? "voice" : "voices"}, page {page} of {pages}
      </span>
      {/* The last voice of a page may have been deleted: the page before it is still to be reached. */}
      <Button className="button quiet" isDisabled={!list.has_more} onPress={() => onPage(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
