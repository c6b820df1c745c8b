import { Button } from "react-aria-components/Button";
import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import type { TestForm } from "./test-form.js";

interface MessageRowsProps {
  messages: TestForm["conversation"];
  problem?: string | undefined;
  onChange: (messages: TestForm["conversation"]) => void;
}

/** The conversation that the agent is to answer, a row for each message. */
export function MessageRows({ messages, problem, onChange }: MessageRowsProps) {
  return (
    <fieldset className="rows">
      <legend>Conversation so far</legend>
      <p className="help">The agent answers the last message.</p>
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <div key={at} className="row">
          <SelectField
            label={`Speaker ${at + 1}`}
            value={message.role}
            choices={[
              { value: "user", label: "Caller" },
              { value: "agent", label: "Agent" },
            ]}
            onChange={(role) => onChange(messages.with(at, { ...message, role }))}
          />
          <TextField
            label={`Words ${at + 1}`}
            value={message.text}
            lines={2}
            onChange={(text) => onChange(messages.with(at, { ...message, text }))}
          />
          <Button
            className="button quiet"
            aria-label={`Remove: message ${at + 1}`}
            onPress={() => onChange(messages.toSpliced(at, 1))}
          >
            Remove
          </Button>
        </div>
      ))}
      {problem === undefined ? null : <p className="problem">{problem}</p>}
      <Button
        className="button quiet"
        onPress={() => onChange([...messages, { role: messages.at(-1)?.role === "user" ? "agent" : "user", text: "" }])}
      >
        Add: message
      </Button>
    </fieldset>
  );
}
