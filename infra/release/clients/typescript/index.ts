import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../../../../build/api-types.ts';

export type { components, paths };

/** A Job with its state, its conditions over time, and its chain. */
export type JobFound = components['schemas']['JobWithConditions'];

export type JobledgerClient = Client<paths>;

export interface ClientOptions {
  /** `https://jobledger.example`. */
  url: string;
  /** A token, or a function that gives one for each request. Absent when the API needs no token. */
  token?: string | (() => string | Promise<string>);
}

/** The identification of a Job: its name, and as many other fields as necessary. */
export interface JobName {
  name: string;
  cluster?: string;
  namespace?: string;
  uid?: string;
}

/** An error of the API. `type` names the kind of the error: `urn:jobledger:problem:…`. */
export class JobledgerApiError extends Error {
  override readonly name = 'JobledgerApiError';
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, detail: string) {
    super(detail);
    this.status = status;
    this.type = type;
  }
}

/** Calls of the API's routes, typed by its OpenAPI document. */
export function jobledger({ url, token }: ClientOptions): JobledgerClient {
  const client = createClient<paths>({ baseUrl: url.replace(/\/+$/, '') });
  if (token !== undefined)
    client.use({
      async onRequest({ request }) {
        request.headers.set('authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
        return request;
      },
    });
  return client;
}

/** The body of a response. @throws JobledgerApiError. */
export async function readBody<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok && data !== undefined) return data;
  // A proxy's error is text, not a problem.
  const problem: { type?: string; detail?: string } =
    typeof error === 'object' && error !== null ? error : {};
  const { type = 'about:blank', detail = `the response is ${response.status}` } = problem;
  throw new JobledgerApiError(response.status, type, detail);
}

const PAUSE_MS = 1000;
const UNKNOWN = 'urn:jobledger:problem:unknown-job';

/**
 * Resolves with the Job when it has ended, as Complete or Failed. The method also waits for a Job that is not in the
 * tables yet. @throws JobledgerApiError, and the reason of `signal`.
 */
export async function waitForEnd(
  client: JobledgerClient,
  job: JobName,
  signal?: AbortSignal,
): Promise<JobFound> {
  const { name, ...query } = job;
  for (;;) {
    signal?.throwIfAborted();
    const params = { path: { job: name }, query };
    const found = await readBody<JobFound>(
      client.GET('/v1/jobs/{job}', { params, signal: signal ?? null }),
    ).catch((error: unknown) => {
      if (error instanceof JobledgerApiError && error.type === UNKNOWN) return null;
      throw error;
    });
    if (found !== null && found.finished_at !== null) return found;
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE_MS);
    });
  }
}
