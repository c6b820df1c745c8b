import type { AriaAttributes, ComponentType } from "react";
import { samplesOf } from "./samples.js";
import type { SwaggerUiPlugin, SwaggerUiSystem } from "./swagger-ui-options.js";

interface OperationPlace {
  path: string;
  method: string;
}

/** What is ours on the page of Swagger UI. */
export function referencePlugin({ React }: SwaggerUiSystem): SwaggerUiPlugin {
  const { createElement } = React;
  const nothing = (): null => null;
  return {
    components: {
      // A link inside the button that opens an operation cannot be reached with the keyboard alone.
      OperationSummaryPath: ({ operationProps }: { operationProps: { get(name: string): string } }) =>
        createElement("span", { className: "opblock-summary-path" }, operationProps.get("path")),
    },
    wrapComponents: {
      // The page has a heading of its own, and one server: the one that it comes from.
      InfoContainer: () => nothing,
      ServersContainer: () => nothing,
      TextArea: (original) => (props: AriaAttributes) =>
        createElement(original as ComponentType<AriaAttributes>, { ...props, "aria-label": "Body of the request" }),
      responses: withSamples,
    },
  };
}

/** The examples of an operation stand before its answers. */
function withSamples(original: ComponentType<never>, system: SwaggerUiSystem): ComponentType<never> {
  const { createElement, useState } = system.React;
  const Responses = original as ComponentType<OperationPlace>;
  const Samples = ({ path, method }: OperationPlace) => {
    const [shown, show] = useState(0);
    const operation = system.specSelectors.specJson().getIn(["paths", path, method])?.toJS();
    const samples = samplesOf(operation, location.origin);
    const tabs = samples.map(({ label }, index) =>
      createElement(
        "button",
        { key: label, type: "button", "aria-pressed": index === shown, onClick: () => show(index) },
        label,
      ),
    );
    return createElement(
      "div",
      { className: "samples" },
      createElement("div", { role: "group", "aria-label": "Language of the example" }, tabs),
      createElement("pre", { tabIndex: 0, role: "region", "aria-label": "Example" }, samples[shown]?.source),
    );
  };
  return (props: OperationPlace) =>
    createElement(
      "div",
      null,
      createElement(Samples, { path: props.path, method: props.method }),
      createElement(Responses, props),
    );
}
