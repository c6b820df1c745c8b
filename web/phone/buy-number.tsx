import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { AvailablePhone, PhoneEntity } from "#protocol/agents/phone";
import { ask } from "../api/request.js";
import { ConfirmedButton } from "../parts/confirmed-button.js";
import { SelectField } from "../parts/select-field.js";
import { TextField } from "../parts/text-field.js";
import { FailureNote } from "../shell/failure-note.js";
import { problemOf, renewNumbers } from "./phone-query.js";

const countries = [
  { value: "US", label: "United States" },
  { value: "CA", label: "Canada" },
] as const;

/** Searches Twilio's numbers, and buys one of them. */
export function BuyNumber() {
  const [country, setCountry] = useState<"US" | "CA">("US");
  const [areaCode, setAreaCode] = useState("");
  const { mutate, data, isPending, error, reset } = useMutation({
    mutationFn: () => {
      const query = new URLSearchParams({ country_code: country, ...(areaCode === "" ? {} : { area_code: areaCode }) });
      return ask<{ available_phone_numbers: AvailablePhone[] }>("GET", `/v1/agent/available-phone-numbers?${query}`);
    },
  });
  const search = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <section className="card below" aria-labelledby="buy-number">
      <h2 id="buy-number">Buy a number</h2>
      <p className="soft">From Twilio. It costs 0.05 credits a day, the first one when it is bought.</p>
      {error === null ? null : <FailureNote doing="No numbers were found" error={error} />}
      <form onSubmit={search} aria-label="Numbers to buy">
        <SelectField label="Country" value={country} choices={countries} onChange={setCountry} />
        <TextField
          label="Area code"
          help="Three digits; empty is anywhere."
          value={areaCode}
          problem={problemOf(error, "area_code")}
          onChange={setAreaCode}
        />
        <button type="submit" className="button" disabled={isPending}>
          Search
        </button>
      </form>
      {data === undefined ? null : <Found numbers={data.available_phone_numbers} onBought={reset} />}
    </section>
  );
}

function Found({ numbers, onBought }: { numbers: readonly AvailablePhone[]; onBought: () => void }) {
  const queries = useQueryClient();
  if (numbers.length === 0) return <p className="soft">There are none now. Try another area.</p>;
  return (
    <ul aria-label="Numbers that are for sale">
      {numbers.map(({ phone_number, locality, region }) => (
        <li key={phone_number}>
          {phone_number} {[locality, region].filter((place) => place !== "").join(", ")}{" "}
          <ConfirmedButton
            className="button quiet"
            label="Buy"
            ariaLabel={`Buy ${phone_number}`}
            title={`Buy ${phone_number}?`}
            text="It costs 0.05 credits a day until you release it."
            action="Buy"
            run={() => ask<PhoneEntity>("POST", "/v1/agent/phone-numbers", { provider: "twilio", phone_number })}
            onDone={async () => {
              onBought();
              await renewNumbers(queries);
            }}
          />
        </li>
      ))}
    </ul>
  );
}
