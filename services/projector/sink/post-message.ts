import { JobledgerError, UnavailableError } from '../../adapters/errors.ts';
import type { Body } from './bodies/body.ts';
import { signatureHeaders } from './signature.ts';
import { toTarget, type HttpSink } from './target.ts';

/** Thrown when the sink refuses the content of a message, but may accept other messages. */
export class RefusedMessageError extends JobledgerError {
  override readonly name = 'RefusedMessageError';
}

/** The statuses Bad Request, Content Too Large and Unprocessable Content. */
const REFUSALS = [400, 413, 422];

/** The time after which a delivery counts as failed, in milliseconds. */
const ANSWER_MS = 10_000;

/**
 * Delivers one message; `id` is the id of the message. @throws UnavailableError unless the sink responds with a status
 * from 200 to 299, RefusedMessageError if it refuses the content, and InputError if its settings are not usable.
 */
export async function deliver(
  sink: HttpSink,
  { id, body }: { id: string; body: Body },
  signal: AbortSignal,
): Promise<void> {
  const { url, headers, secrets } = toTarget(sink);
  const signature =
    secrets.length === 0 ? {} : signatureHeaders(secrets, { id, body: body.text }, new Date());
  const response = await withReachError(url, () =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': body.contentType, ...signature },
      body: body.text,
      // A redirection is not followed, because another host must not get the token.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    }),
  );
  // The body is discarded, because an unread body prevents the reuse of the connection.
  await response.body?.cancel();
  if (response.ok) return;
  const problem = `${new URL(url).host} responds with status ${response.status}`;
  // The receiver may be corrected, so a refusal is repeated some times before the message is left out.
  throw REFUSALS.includes(response.status)
    ? new RefusedMessageError(problem, { retryable: true })
    : new UnavailableError(problem);
}

async function withReachError(url: string, call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (cause) {
    const isLate = cause instanceof DOMException && cause.name === 'TimeoutError';
    const problem = isLate ? `does not answer within ${ANSWER_MS / 1000} s` : 'cannot be reached';
    throw new UnavailableError(`${new URL(url).host} ${problem}`, { cause });
  }
}
