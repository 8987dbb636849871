/**
 * The one tree of errors of the outside world. `message` is for a person: what is wrong, where, what to do.
 * `retryable` says whether the same attempt may succeed later. No message ever holds a secret.
 */
export class JobledgerError extends Error {
  override readonly name: string = 'JobledgerError';
  readonly retryable: boolean;

  constructor(message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
  }
}

/** What a person gave is wrong: a flag, a variable, a file, a name. Never worth a retry. */
export class InputError extends JobledgerError {
  override readonly name: string = 'InputError';
}

/** A server does not answer, or refuses for now. Worth a retry. */
export class UnavailableError extends JobledgerError {
  override readonly name = 'UnavailableError';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { ...options, retryable: true });
  }
}

/** An answer of the Kubernetes API that is not 2xx, with the API's own `Status` reason and message. */
export class KubernetesApiError extends JobledgerError {
  override readonly name = 'KubernetesApiError';
  readonly status: number;
  readonly reason: string;
  /** `details.causes[].reason` of the Status object. */
  readonly causes: readonly string[];
  /** Seconds that the API server asked to wait, from Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(answer: {
    status: number;
    reason: string;
    message: string;
    causes: readonly string[];
    retryAfter?: number | undefined;
  }) {
    super(answer.message, { retryable: answer.status >= 500 || answer.status === 429 });
    this.status = answer.status;
    this.reason = answer.reason;
    this.causes = answer.causes;
    this.retryAfter = answer.retryAfter;
  }
}

/** The text of anything thrown, with the texts of its causes. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own =
    error instanceof AggregateError && error.message === ''
      ? error.errors.map(messageOf).join('; ')
      : error.message;
  return error.cause === undefined ? own : `${own}: ${messageOf(error.cause)}`;
}
