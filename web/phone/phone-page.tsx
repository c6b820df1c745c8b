import { Link } from "@tanstack/react-router";
import type { PageEnvelope } from "#protocol/paging";
import type { PhoneEntity } from "#protocol/agents/phone";
import { usePages } from "../api/pages.js";
import { MoreButton } from "../parts/more-button.js";
import { usePageTitle } from "../parts/page-title.js";
import { FailureNote } from "../shell/failure-note.js";
import { BuyNumber } from "./buy-number.js";
import { ImportNumber } from "./import-number.js";
import { NumberTable } from "./number-table.js";
import { phoneKey } from "./phone-query.js";
import { PlaceCall } from "./place-call.js";

type NumberPage = PageEnvelope & { phone_numbers: PhoneEntity[] };

/** The team's phone numbers, and calls from them. */
export function Phone() {
  usePageTitle("Phone");
  const pages = usePages<NumberPage>(phoneKey, "/v1/agent/phone-numbers");
  const { data, error } = pages;
  const numbers = data?.pages.flatMap(({ phone_numbers }) => phone_numbers) ?? [];
  return (
    <>
      <h1>Phone</h1>
      <p className="soft">
        The numbers that your agents answer, and from which they call. What was said stands under{" "}
        <Link to="/calls">Calls</Link>.
      </p>
      {error === null ? null : <FailureNote doing="The numbers cannot be read" error={error} />}
      {data === undefined ? error === null && <p className="soft">Asking…</p> : <NumberTable numbers={numbers} />}
      <MoreButton pages={pages} />
      <PlaceCall numbers={numbers} />
      <ImportNumber />
      <BuyNumber />
    </>
  );
}
