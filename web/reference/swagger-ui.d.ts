/** What of Swagger UI the reference uses; the package has no types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  import type { SwaggerUiOptions } from "./swagger-ui-options.js";

  export default function SwaggerUI(options: SwaggerUiOptions): unknown;
}
