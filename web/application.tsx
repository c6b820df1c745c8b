import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { ApiFailure } from "./api/request.js";
import { router } from "./routes.js";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one; what reached nobody, or a server that is briefly away, is asked again.
      retry: (failures, error) => failures < 2 && !(error instanceof ApiFailure && isRefusal(error.status)),
      staleTime: 2000,
    },
  },
});

const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/** The whole console. */
export function Application() {
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}
