import type { ComponentType, createElement, useState } from "react";

/** What a plugin of Swagger UI is given; the React is its own. */
export interface SwaggerUiSystem {
  React: { createElement: typeof createElement; useState: typeof useState };
  specSelectors: { specJson(): { getIn(path: readonly string[]): { toJS(): unknown } | undefined } };
}

/** Parts of the page that a plugin puts in place of Swagger UI's, or around them. */
export interface SwaggerUiPlugin {
  components: Readonly<Record<string, ComponentType<never>>>;
  wrapComponents: Readonly<
    Record<string, (original: ComponentType<never>, system: SwaggerUiSystem) => ComponentType<never>>
  >;
}

/** https://github.com/swagger-api/swagger-ui/blob/master/docs/usage/configuration.md */
export interface SwaggerUiOptions {
  url: string;
  domNode: Element;
  deepLinking: boolean;
  tryItOutEnabled: boolean;
  displayRequestDuration: boolean;
  defaultModelsExpandDepth: number;
  syntaxHighlight: { activated: boolean };
  validatorUrl: null;
  plugins: ((system: SwaggerUiSystem) => SwaggerUiPlugin)[];
}
