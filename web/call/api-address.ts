/** The address of a path below `serverUrl`, which may itself be a folder of its host. */
export const apiAddress = (serverUrl: string, path: string): URL =>
  new URL(path, serverUrl.endsWith("/") ? serverUrl : `${serverUrl}/`);
