import { answerMeaning, type Meaning, type NamedObject, type StatusDetails } from './kubernetes/answers.ts';
import { textWithoutValues } from './kubernetes/error-text.ts';

/**
 * Base of all errors from outside the core. `message` names the problem, its place and the remedy for a person.
 * `retryable` says whether the same attempt may succeed later. Messages never contain a secret.
 */
export class JobledgerError extends Error {
  override readonly name: string = 'JobledgerError';
  readonly retryable: boolean;

  constructor(message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
  }
}

/** True when the same attempt may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof JobledgerError && error.retryable;
}

/** Invalid input from a person: a flag, a variable, a file or a name. A retry cannot succeed. */
export class InputError extends JobledgerError {
  override readonly name: string = 'InputError';
}

/** A server does not respond, or refuses temporarily. A retry may succeed. */
export class UnavailableError extends JobledgerError {
  override readonly name = 'UnavailableError';

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, { ...options, retryable: true });
  }
}

/** A `Status` of failure from the Kubernetes API, with its reason and message. */
export class KubernetesApiError extends JobledgerError {
  override readonly name = 'KubernetesApiError';
  readonly status: number;
  readonly reason: string;
  /** The meaning of the answer for the request. */
  readonly meaning: Meaning;
  /** The server's own text, for the answer to a request and for Events in the cluster; `message` quotes no values. */
  readonly exactText: string;
  /** `details.causes[].reason` of the Status object. */
  readonly causes: readonly string[];
  /** The object that the answer is about. */
  readonly details: StatusDetails | undefined;
  /** The number of seconds to wait before the next attempt, from the header Retry-After. */
  readonly retryAfter: number | undefined;
  /** For an expired list, the token with which the list continues at the present version. */
  readonly continueToken: string | undefined;

  constructor(response: {
    status: number;
    reason: string;
    message: string;
    causes: readonly string[];
    details?: StatusDetails | undefined;
    /** The object of the request; null when the request names no object. */
    object?: NamedObject | null;
    retryAfter?: number | undefined;
    continueToken?: string | undefined;
  }) {
    const meaning = answerMeaning(response, response.object);
    super(textWithoutValues(response), {
      retryable: meaning === 'throttled' || meaning === 'outage' || response.status === 500,
    });
    this.status = response.status;
    this.reason = response.reason;
    this.meaning = meaning;
    this.exactText = response.message;
    this.causes = response.causes;
    this.details = response.details;
    this.retryAfter = response.retryAfter;
    this.continueToken = response.continueToken;
  }
}

/** True when the answer says that the object of the request does not exist, unlike any other 404. */
export function isAbsent(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.meaning === 'absent';
}

/**
 * True when the object differs from the request's assumption, or another object has its name. A 409 from a webhook does not
 * mean a conflict.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof KubernetesApiError && error.meaning === 'conflict';
}

/** The message of any thrown value, followed by the messages of its causes. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own =
    error instanceof AggregateError && error.message === ''
      ? error.errors.map(errorMessage).join('; ')
      : error.message;
  return error.cause === undefined ? own : `${own}: ${errorMessage(error.cause)}`;
}
