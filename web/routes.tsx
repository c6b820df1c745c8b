import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { NotFound } from "./shell/not-found.js";
import { Shell } from "./shell/shell.js";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  component: lazyRouteComponent(() => import("./home/home.js"), "Home"),
});

/** The console's addresses, all below `/console`. A section's code is loaded when it is opened. */
export const router = createRouter({ routeTree: root.addChildren([home]), basepath: "/console" });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
