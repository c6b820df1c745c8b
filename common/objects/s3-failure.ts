/** What an S3 store did instead of what it was asked; `message` says it in words that may be logged. */
export class S3Failure extends Error {
  override readonly name = "S3Failure";
  /** Of the answer; null where none came. */
  readonly status: number | null;
  /** S3's own word, such as `NoSuchBucket`; empty where it gave none. */
  readonly code: string;

  constructor(status: number | null, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

/** An answer that says no. */
export function refusalOf(status: number, body: string): S3Failure {
  const [, code = ""] = /<Code>([^<]{1,100})<\/Code>/.exec(body) ?? [];
  return new S3Failure(status, code, `the S3 store answered ${[status, code].join(" ").trim()}`);
}

/** No answer: why, as far as it can be told. */
export function silenceOf(error: unknown): S3Failure {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (root instanceof AggregateError) root = root.errors[0];
  const code = root instanceof Error && "code" in root ? String(root.code) : "";
  const reason = root instanceof Error ? root.message || code : String(root);
  return new S3Failure(null, "", `the S3 store does not answer (${reason})`);
}

/** Whether the same request may succeed a moment later. */
export function mayPass({ status }: S3Failure): boolean {
  return status === null || status >= 500 || status === 429 || status === 408;
}

const remedies: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: "the store does not know S3_ACCESS_KEY_ID",
  // Versity's gateway says it so.
  XAdminUserNotFound: "the store does not know S3_ACCESS_KEY_ID",
  SignatureDoesNotMatch: "S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID",
  AccessDenied:
    "the key may not read, write and delete in S3_BUCKET: it needs s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket",
  NoSuchBucket: "there is no bucket of the name S3_BUCKET: make it, or name another one",
  InvalidBucketName: "S3_BUCKET is no name of a bucket",
  AuthorizationHeaderMalformed: "S3_REGION is not the bucket's region",
  PermanentRedirect: "the bucket is in another region: set S3_REGION, and S3_ENDPOINT where it names one",
  RequestTimeTooSkewed: "the clock of this machine is wrong",
};

/** What the operator must set right; null where waiting may be enough. */
export function remedyOf({ status, code }: S3Failure): string | null {
  const known = remedies[code];
  if (known !== undefined) return known;
  if (status === 301 || status === 307) return remedies["PermanentRedirect"] ?? null;
  if (status === 403) return "the store refuses S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY";
  return status === 404 || status === 405 ? "check S3_ENDPOINT, S3_BUCKET and S3_PATH_STYLE" : null;
}
