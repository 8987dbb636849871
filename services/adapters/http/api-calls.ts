import type { z } from 'zod';
import { InputError, JobledgerError, errorMessage, UnavailableError } from '../errors.ts';
import { parseExact } from '../exact-json.ts';
import { handshakeFailure } from '../network/tls.ts';
import { VERSION } from '../process/package-dir.ts';
import { exchange, readText, type Response } from './exchange.ts';
import type { Problem } from './problem.ts';
import { VERSION_HEADER } from './version-header.ts';

/** The address of an HTTP API of Jobledger, and the means to reach it. */
export interface ApiServer {
  /** `https://host[:port][/path]`; http:// as well. */
  readonly url: string;
  /** The token of the caller; null when calls are made without a token. */
  readonly token: string | null;
  /** Certificates of authorities in PEM; null for the well-known authorities. */
  readonly ca: string | null;
}

/** The values of a query; undefined values are left out. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** One message of the stream of events: the position after the event, and the event. */
export interface StreamMessage {
  readonly id: string;
  readonly data: string;
}

/**
 * The schema of a response, or a function that loads the schema. Loading takes as long as a whole request. Only the
 * response of an API of another version is checked, because an API of this version builds its responses with the same
 * schema.
 */
export type SchemaOf<S> = S | (() => Promise<S>);

/**
 * Calls of the HTTP API. Every call throws InputError for an error that a person can correct, and UnavailableError for
 * a temporary error.
 */
export interface ApiCalls {
  readonly url: string;
  get<S extends z.ZodType>(path: string, query: Query, schema: SchemaOf<S>): Promise<z.infer<S>>;
  post<S extends z.ZodType>(
    path: string,
    query: Query,
    body: unknown,
    schema: SchemaOf<S>,
  ): Promise<z.infer<S>>;
  /** Returns the messages until the server ends the stream or `signal` is aborted. */
  stream(path: string, query: Query, signal: AbortSignal): AsyncGenerator<StreamMessage>;
}

/** A response must be complete within this time, and a stream must begin within it. */
const ANSWER_MS = 60_000;
/** A stream that is silent for longer than this time is broken: the server sends a message at least every 15 s. */
const SILENT_MS = 45_000;

const HTTP_UNAUTHORIZED = 401;
const HTTP_TOO_MANY = 429;

/** The API refuses a request that a person can correct. `kind` is a kind of problem.ts. */
export class RefusedByApiError extends InputError {
  override readonly name = 'RefusedByApiError';
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Connects at the first call. @throws InputError for a URL that cannot be used. */
export function openApi(server: ApiServer): ApiCalls {
  const base = parseBase(server.url);
  const sendRequest = async (
    method: 'GET' | 'POST',
    target: string,
    options: { body?: unknown; accept?: string; signal: AbortSignal },
  ): Promise<Response> => {
    const { body, accept = 'application/json', signal } = options;
    const headers = {
      accept,
      ...(server.token !== null && { authorization: `Bearer ${server.token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = { method, headers, ca: server.ca, signal };
    const response = await withReachError(server.url, () =>
      exchange(target, body === undefined ? sent : { ...sent, body: JSON.stringify(body) }),
    );
    if (response.status >= 200 && response.status < 300) return response;
    throw await refusalError(
      server.url,
      response.status,
      await withReachError(server.url, () => readText(response)),
    );
  };
  const readAnswer = async <S extends z.ZodType>(
    response: Response,
    schema: SchemaOf<S>,
  ): Promise<z.infer<S>> => {
    const text = await withReachError(server.url, () => readText(response));
    if (typeof schema !== 'function') return parseAnswer(server.url, text, schema);
    if (response.headers[VERSION_HEADER] === VERSION) return parseExact(text) as z.infer<S>;
    return parseAnswer(server.url, text, await schema());
  };
  return {
    url: server.url,
    async get(path, query, schema) {
      const signal = AbortSignal.timeout(ANSWER_MS);
      return readAnswer(await sendRequest('GET', requestUrl(base, path, query), { signal }), schema);
    },
    async post(path, query, body, schema) {
      const signal = AbortSignal.timeout(ANSWER_MS);
      return readAnswer(await sendRequest('POST', requestUrl(base, path, query), { body, signal }), schema);
    },
    async *stream(path, query, signal) {
      const silent = idleTimeout(ANSWER_MS);
      const either = AbortSignal.any([signal, silent.signal]);
      try {
        const target = requestUrl(base, path, query);
        const { body } = await sendRequest('GET', target, { accept: 'text/event-stream', signal: either });
        yield* readMessages(body, () => silent.restart(SILENT_MS));
      } catch (error) {
        if (signal.aborted) return;
        throw error instanceof JobledgerError ? error : unreachableError(server.url, error);
      } finally {
        silent.end();
      }
    },
  };
}

/** Aborts `signal` when the timer was not restarted within the given time, in milliseconds. */
function idleTimeout(ms: number): { signal: AbortSignal; restart: (ms: number) => void; end: () => void } {
  const controller = new AbortController();
  const startTimer = (after: number): NodeJS.Timeout =>
    setTimeout(() => controller.abort(new Error('the server is silent')), after);
  let timer = startTimer(ms);
  return {
    signal: controller.signal,
    restart(next) {
      clearTimeout(timer);
      timer = startTimer(next);
    },
    end: () => clearTimeout(timer),
  };
}

/** Parses the body of a stream of events; calls `onMessage` for each chunk. */
async function* readMessages(
  body: AsyncIterable<Uint8Array>,
  onMessage: () => void,
): AsyncGenerator<StreamMessage> {
  // The module is loaded only here, because few calls open a stream.
  const { createParser } = await import('eventsource-parser');
  const found: StreamMessage[] = [];
  const parser = createParser({ onEvent: ({ id = '', data }) => found.push({ id, data }) });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    onMessage();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* found.splice(0);
  }
}

/**
 * The base URL of the API's paths, without a slash at its end. `url` may also be the address of the page, which the API
 * serves.
 * @throws InputError.
 */
export function parseBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw new InputError(`"${url}" is not the URL of an API; expected https://HOST[:PORT] or http://…`);
  if (parsed.username !== '' || parsed.password !== '')
    throw new InputError(
      'the URL of the API must not contain a user or a password; tokens are read from a file',
    );
  return `${parsed.origin}${withoutPage(parsed.pathname).replace(/(?<!\/)\/+$/, '')}`;
}

/** The part of a path before the path of the page. */
function withoutPage(pathname: string): string {
  const at = `${pathname}/`.indexOf('/ui/');
  return at < 0 ? pathname : pathname.slice(0, at);
}

function requestUrl(base: string, path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, given] of Object.entries(query))
    for (const value of [given ?? []].flat()) parameters.append(name, String(value));
  return `${base}${path}${parameters.size === 0 ? '' : `?${parameters.toString()}`}`;
}

/** Makes a call; an error becomes the message that the API cannot be reached. */
async function withReachError<T>(url: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    throw unreachableError(url, cause);
  }
}

function unreachableError(url: string, cause: unknown): UnavailableError {
  return new UnavailableError(`the API at ${url} cannot be reached${adviceFor(url, cause)}`, { cause });
}

/** The advice for an API that cannot be reached, as the end of a message. */
function adviceFor(url: string, cause: unknown): string {
  if (/\bECONNREFUSED\b/.test(errorMessage(cause)))
    return '; nothing listens at this address: check the host and the port, which "jobledger up" prints as api=';
  const failure = handshakeFailure(cause);
  if (failure === null) return '';
  // The server speaks another protocol than TLS, usually plain HTTP.
  return /wrong.version.number|packet.length.too.long/i.test(failure)
    ? `; it does not speak TLS: give --server ${url.replace(/^https:/, 'http:')}`
    : '; give the CA that signed its certificate with --ca-file';
}

/** The error for a response that is not a success. */
async function refusalError(url: string, status: number, text: string): Promise<JobledgerError> {
  const problem = await problemIn(text);
  if (status === HTTP_UNAUTHORIZED)
    return new RefusedByApiError(
      'unauthorized',
      `${url} does not know who you are: ${problem?.detail ?? 'a token is needed'}; sign in with "jobledger login ${url}", or give --token-file`,
    );
  if (problem === undefined)
    return new JobledgerError(`${url} responds ${status}, unlike an API of Jobledger: check the URL`);
  if (status >= 500 || status === HTTP_TOO_MANY) return new UnavailableError(`${url}: ${problem.detail}`);
  return new RefusedByApiError(problem.type.replace('urn:jobledger:problem:', ''), detailForUser(problem));
}

/** The detail of a problem for a user of the command line, who knows flags and fields instead of places in the request. */
function detailForUser({ detail, errors }: Problem): string {
  if (errors === undefined) return detail;
  return errors.map(({ where, message }) => `${flagOrField(where)}: ${message}`).join('; ');
}

/**
 * The flag or field for a place in the request: `querystring/new_name` is `--new-name`, and `body/metadata/namespace`
 * is the field `metadata.namespace` of a manifest.
 */
function flagOrField(where: string): string {
  const [part, ...path] = where.split('/');
  if (path.length === 0) return where;
  return part === 'querystring' ? `--${path.join('.').replaceAll('_', '-')}` : path.join('.');
}

/** The problem in the text of a response; undefined when the text is not a problem. */
async function problemIn(text: string): Promise<Problem | undefined> {
  // The module is loaded only for a refusal.
  const { problemSchema } = await import('./problem.ts');
  try {
    return problemSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The answer, checked by its schema. @throws JobledgerError when the answer does not match the schema. */
async function parseAnswer<S extends z.ZodType>(url: string, text: string, schema: S): Promise<z.infer<S>> {
  try {
    return schema.parse(parseExact(text));
  } catch (error) {
    const { z } = await import('zod');
    const what = error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error);
    throw new JobledgerError(
      `${url} does not respond as this version of Jobledger expects; compare "jobledger --version" with the API's:\n${what}`,
    );
  }
}
