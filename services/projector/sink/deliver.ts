import { readFileSync } from 'node:fs';
import { UnavailableError } from '../../adapters/errors.ts';
import type { JobEnded } from './job-ended.ts';

/** Where to deliver. The URL may contain a secret, so it is never shown whole. */
export interface HttpSink {
  url: string;
  /** A file with a bearer token, read for every delivery; null: none. */
  tokenFile: string | null;
}

/** A longer delivery counts as failed. */
const ANSWER_MS = 10_000;

/** Delivers one event. @throws UnavailableError unless the sink responds with a status from 200 to 299. */
export async function deliver(
  { url, tokenFile }: HttpSink,
  event: JobEnded,
  signal: AbortSignal,
): Promise<void> {
  const token = tokenFile === null ? null : readFileSync(tokenFile, 'utf8').trim();
  const headers = {
    'content-type': 'application/cloudevents+json; charset=utf-8',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  const response = await reached(url, () =>
    fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify(event),
      // A token must not follow a redirection to another host.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    }),
  );
  // An unread body prevents the reuse of the connection.
  await response.body?.cancel();
  if (!response.ok)
    throw new UnavailableError(`${new URL(url).host} responds with status ${response.status}`);
}

async function reached(url: string, call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (cause) {
    throw new UnavailableError(`${new URL(url).host} cannot be reached`, { cause });
  }
}
