import type { Config } from "../config/config.js";

/** A bucket of an S3-compatible store, and who may use it. */
export interface S3Settings {
  /** Where the store is, without the bucket. */
  endpoint: string;
  /** The same store as clients reach it who download from it. */
  publicEndpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether the bucket stands in the path of an address, instead of before the host's name. */
  pathStyle: boolean;
}

/** The S3 store that is configured; null where there is none. */
export function s3SettingsOf(config: Config): S3Settings | null {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null || accessKeyId === null || secretAccessKey === null) return null;
  const region = config.S3_REGION;
  const endpoint = config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`;
  const publicEndpoint = config.S3_PUBLIC_ENDPOINT ?? endpoint;
  const pathStyle = config.S3_PATH_STYLE === "on";
  return { endpoint, publicEndpoint, bucket, region, accessKeyId, secretAccessKey, pathStyle };
}

/** The address of an object, not signed. */
export function objectUrl(settings: S3Settings, endpoint: string, key: string): URL {
  const url = new URL(endpoint);
  const base = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname;
  if (!settings.pathStyle) url.hostname = `${settings.bucket}.${url.hostname}`;
  const path = key.split("/").map(encodeSegment).join("/");
  url.pathname = settings.pathStyle ? `${base}/${settings.bucket}/${path}` : `${base}/${path}`;
  return url;
}

/** As S3 signs it: all but letters, digits and `-._~` in percent form. */
const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
