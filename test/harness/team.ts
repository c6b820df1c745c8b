import { connectNats } from "#common/bus/nats";
import { newIdentifier } from "#common/identifier";
import { createLogger } from "#common/log";
import {
  controlSubjects,
  type CreditReply,
  type CreditRequest,
  type KeysReply,
  type KeysRequest,
  type Reply,
  type TeamsReply,
  type TeamsRequest,
} from "#protocol/bus/control";
import { fromErrorRecord } from "#protocol/errors";
import type { TestCluster } from "./cluster.js";

/** Makes a team of its own with credit in a running cluster, and gives its key. */
export async function addTeamTo(cluster: Pick<TestCluster, "natsUrl">, name: string): Promise<string> {
  const bus = await connectNats({ url: cluster.natsUrl, name: "test-team", log: createLogger("test", "fatal") });
  const ask = async <T>(subject: string, request: TeamsRequest | KeysRequest | CreditRequest): Promise<T> => {
    const reply = await bus.request<Reply<T>>(subject, request, { timeoutMs: 30_000, dependency: "the control plane" });
    if (!reply.ok) throw fromErrorRecord(reply.error);
    return reply.value;
  };
  try {
    const { teams } = await ask<TeamsReply>(controlSubjects.teams, {
      action: "create",
      name,
      betaAccess: false,
      maxConcurrentStreams: 0,
    });
    const teamId = teams.find((team) => team.name === name)?.teamId ?? "";
    await ask<CreditReply>(controlSubjects.credit, {
      action: "grant",
      grantId: newIdentifier(),
      teamId,
      amount: "100",
      note: "",
    });
    const { key } = await ask<KeysReply>(controlSubjects.keys, {
      action: "create",
      name,
      teamId,
      scopes: null,
      expiresInMs: null,
    });
    if (key === null) throw new Error("no key was made");
    return key;
  } finally {
    await bus.close();
  }
}
