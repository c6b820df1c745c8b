import type { ToolHeaderKind } from "#protocol/tools";
import { ListField } from "../../parts/list-field.js";
import { SelectField } from "../../parts/select-field.js";
import { TextField } from "../../parts/text-field.js";
import { choicesOf } from "../editor/config-field.js";
import type { Editor } from "../editor/editor.js";
import { listProps } from "../editor/list-props.js";

interface Header {
  name: string;
  kind: string;
  /** Null keeps a stored credential. */
  value: string | null;
  has_secret?: boolean;
}

const field = {
  path: ["headers"],
  label: "Headers",
  help: "Credentials are written, encrypted, and never shown again. Another scheme, host or port in the address drops them.",
};

const kinds = choicesOf<ToolHeaderKind>(["custom", "authorization_bearer", "authorization_basic"], {
  custom: "Header with a value to be read",
  authorization_bearer: "Credential: bearer token",
  authorization_basic: "Credential: user and password",
});

/** Values are sent as they are entered. */
const credentialHelp: Readonly<Record<string, string>> = {
  authorization_bearer: "The whole value: Bearer, a space, the token.",
  authorization_basic: "The whole value: Basic, a space, user:password in base64.",
};

/** Headers of a tool's request. */
export function ToolHeaders({ editor }: { editor: Editor }) {
  const { shared, problemOf } = listProps<Header>({ field, editor });
  return (
    <ListField {...shared} noun="header" newItem={() => ({ name: "", kind: "custom", value: "" })}>
      {(header, change, index) => {
        const isSecret = header.kind !== "custom";
        const isStored = isSecret && header.has_secret === true;
        return (
          <>
            <SelectField
              label="Kind"
              value={header.kind}
              choices={kinds}
              onChange={(kind) =>
                change({
                  kind,
                  value: header.value ?? "",
                  name: kind !== "custom" && header.name === "" ? "Authorization" : header.name,
                })
              }
              problem={problemOf(index, "kind")}
            />
            <TextField
              label="Header"
              value={header.name}
              onChange={(name) => change({ name })}
              problem={problemOf(index, "name")}
            />
            <TextField
              label="Value"
              help={isStored ? "One is stored. Empty keeps it." : credentialHelp[header.kind]}
              type={isSecret ? "password" : "text"}
              autoComplete="off"
              value={header.value ?? ""}
              onChange={(value) => change({ value: value === "" && isStored ? null : value })}
              problem={problemOf(index, "value")}
            />
          </>
        );
      }}
    </ListField>
  );
}
