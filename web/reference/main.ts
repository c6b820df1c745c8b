import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { keepAccessible } from "./keyboard-access.js";
import { referencePlugin } from "./plugin.js";
import "./reference.css";

/** Swagger UI knows dark pages by a class. */
function followTheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (): boolean => document.documentElement.classList.toggle("dark-mode", dark.matches);
  apply();
  dark.addEventListener("change", apply);
}

const domNode = document.querySelector("#reference");
if (domNode !== null) {
  followTheme();
  keepAccessible(domNode);
  SwaggerUI({
    url: "/openapi.json",
    domNode,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    syntaxHighlight: { activated: false },
    validatorUrl: null,
    plugins: [referencePlugin],
  });
}
