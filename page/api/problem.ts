/** The API's response to a refused request (RFC 9457). `status` is 0 when the API did not respond at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const [UNAUTHORIZED, FORBIDDEN, TOO_MANY, FAILURE] = [401, 403, 429, 500];

/** True when a repeated request would fail again. */
export function isLasting(error: unknown): boolean {
  return (
    error instanceof ApiError && error.status >= 400 && error.status < FAILURE && error.status !== TOO_MANY
  );
}

/** True when the request needs another token. */
export function needsToken(error: unknown): boolean {
  return error instanceof ApiError && (error.status === UNAUTHORIZED || error.status === FORBIDDEN);
}

/** The error of a response, with the detail that the API gave. */
export function toApiError(status: number, body: unknown): ApiError {
  const { detail } = (typeof body === 'object' && body !== null ? body : {}) as { detail?: unknown };
  return new ApiError(
    status,
    typeof detail === 'string' ? detail : `the API responded with status ${status}`,
  );
}
