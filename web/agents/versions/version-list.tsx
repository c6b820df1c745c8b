import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ConfigEntity } from "#protocol/agents/config";
import type { VersionSummary } from "#protocol/agents/version";
import { MoreButton } from "../../parts/more-button.js";
import { momentText } from "../../parts/time-text.js";
import { Comparison } from "./comparison.js";
import { Restore } from "./restore.js";

interface VersionListProps {
  draft: ConfigEntity;
  versions: readonly VersionSummary[];
  pages: Parameters<typeof MoreButton>[0]["pages"];
}

/** What was published, newest first. */
export function VersionList({ draft, versions, pages }: VersionListProps) {
  if (versions.length === 0) return null;
  return (
    <section className="card" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <ol className="versions">
        {versions.map((version, index) => (
          <Version key={version.version_number} draft={draft} version={version} isLive={index === 0} />
        ))}
      </ol>
      <MoreButton pages={pages} />
    </section>
  );
}

interface VersionProps {
  draft: ConfigEntity;
  version: VersionSummary;
  isLive: boolean;
}

function Version({ draft, version, isLive }: VersionProps) {
  const [isCompared, setIsCompared] = useState(false);
  const { version_number: number, version_title: title, version_description: description } = version;
  return (
    <li>
      <h3>
        Version {number}
        {title === null || title === "" ? "" : `: ${title}`}
      </h3>
      <p className="soft">
        Published {momentText(version.published_at)}.{isLive ? " New sessions run it." : ""}
      </p>
      {description === null || description === "" ? null : <p>{description}</p>}
      <div className="actions">
        {/* That of the live version stands above. */}
        {isLive ? null : (
          <Button className="button quiet" aria-expanded={isCompared} onPress={() => setIsCompared(!isCompared)}>
            {isCompared ? "Hide the difference" : `Compare version ${number}`}
          </Button>
        )}
        <Restore agentId={draft.agent_id} versionNumber={number} />
      </div>
      {isCompared ? <Comparison agentId={draft.agent_id} versionNumber={number} draft={draft} /> : null}
    </li>
  );
}
