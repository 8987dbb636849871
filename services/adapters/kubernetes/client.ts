import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { JobledgerError, KubernetesApiError, UnavailableError } from '../errors.ts';
import { parseExact, stringifyExact } from '../exact-json.ts';
import { objectIn, type StatusDetails } from './answers.ts';
import type { Access, ClusterConnection } from './connection.ts';
import { unlimited, type RateLimit } from './rate-limit.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRequest {
  method: Verb;
  /** Path below the server's root, with the query, e.g. `/api/v1/namespaces/default/pods?limit=500`. */
  path: string;
  body?: unknown;
  /** The content type. The default is `application/json`; a PATCH must set its patch type. */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /**
   * The timeout for the response in milliseconds, and for each pause within its body unless the body is a stream.
   * The default is 30 s.
   */
  timeoutMs?: number;
  /** The longest response to read, in bytes; by default, a response may have any length. */
  maxBytes?: number;
  /**
   * Runs right before the request is sent, after all waits. When this function throws, the request is not sent.
   */
  beforeSending?: () => void;
  /** Receives the time of the server's clock when the server answers, in milliseconds and with a precision of one second. */
  onServerTime?: (now: number) => void;
  /** True for a request that is never delayed, and never repeated when the server is busy. */
  isBestEffort?: true;
}

export class TooLongResponseError extends JobledgerError {
  override readonly name = 'TooLongResponseError';
}

/** Receives every finished request; the status is 0 when there was no response. */
export type RequestObserver = (request: { method: Verb; host: string; status: number }) => void;

/** A JSON client for one API server. The client does not change objects, so unknown fields survive a read and a write. */
export interface KubernetesClient {
  readonly cluster: string;
  /**
   * @throws KubernetesApiError for a `Status` that is not a success, UnavailableError when there is no response or the
   * API server did not send the response (docs/answers.md), TooLongResponseError when the response is longer than
   * `maxBytes`.
   */
  request<T>(request: ApiRequest): Promise<T>;
  /** Opens a stream of newline-separated JSON (watch) or text (log). Aborting `signal` ends it. */
  stream(request: ApiRequest): Promise<ApiStream>;
}

/** The body of a response, in chunks. */
export interface ApiStream extends AsyncIterable<unknown> {
  destroy(): unknown;
}

type Response = Dispatcher.ResponseData;

/** A stream may be silent for long; its reader has its own limit. */
type SentRequest = ApiRequest & { isStream?: true };

export function createKubernetesClient(
  connection: ClusterConnection,
  { observe = () => undefined, limit = unlimited }: { observe?: RequestObserver; limit?: RateLimit } = {},
): KubernetesClient {
  const reportRequest = ({ method }: ApiRequest, status = 0): void =>
    observe({ method, host: connection.server.host, status });
  const sendObserved = async (access: Access, request: SentRequest): Promise<Response> => {
    const response = await sendRequest(connection, access, request).catch((error: unknown) => {
      reportRequest(request);
      throw error;
    });
    reportRequest(request, response.statusCode);
    return response;
  };
  const openResponse = async (request: SentRequest): Promise<Response> => {
    await limit(request.signal);
    let access = await connection.access();
    let response = await sendObserved(access, request);
    if (response.statusCode === 401) {
      // The credentials may have just been renewed. A 401 has no effect on the server, so retrying is safe.
      const renewed = await connection.access(true);
      if (!isSameAccess(renewed, access)) {
        response.body.destroy();
        [access, response] = [renewed, await sendObserved(renewed, request)];
      }
    }
    const date = Date.parse(String(response.headers.date));
    if (!Number.isNaN(date)) request.onServerTime?.(date);
    if (response.statusCode < 300) return response;
    const error = apiError(response, await readText(response), request);
    if (error === null) throw foreignResponseError(connection, request, response);
    throw error.status === 403 && !(await isReady(connection, access))
      ? forbiddenError(connection, request, error)
      : error;
  };
  return {
    cluster: connection.cluster,
    stream: async (request) => (await openResponse({ ...request, isStream: true })).body,
    async request<T>(request: ApiRequest): Promise<T> {
      const response = await openResponse(request);
      const answer = answerIn(await readText(response, request.maxBytes), request);
      if (answer === null) throw foreignResponseError(connection, request, response);
      return answer as T;
    },
  };
}

function isSameAccess(a: Access, b: Access): boolean {
  return a.pool === b.pool && JSON.stringify(a.headers) === JSON.stringify(b.headers);
}

async function sendRequest(
  connection: ClusterConnection,
  { pool, headers }: Access,
  request: SentRequest,
): Promise<Response> {
  const { method, path, body, contentType = 'application/json', signal, timeoutMs = 30_000 } = request;
  request.beforeSending?.();
  // Each pending request listens to the signal, and Node would warn of a leak when an activity sends more than ten
  // requests at once.
  if (signal !== undefined) setMaxListeners(Infinity, signal);
  try {
    const response = await pool.request({
      method,
      path: connection.server.pathname.replace(/\/$/, '') + path,
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': 'jobledger',
        ...(body !== undefined && { 'content-type': contentType }),
      },
      headersTimeout: timeoutMs,
      bodyTimeout: request.isStream === true ? 0 : timeoutMs,
      ...(body !== undefined && { body: stringifyExact(body) }),
      ...(signal !== undefined && { signal }),
    });
    // Without a listener, a response that is destroyed early would end the process.
    response.body.on('error', () => undefined);
    return response;
  } catch (cause) {
    throw unansweredError(connection, request, cause);
  }
}

/** A starting API server has not loaded its roles yet and forbids everything, including /readyz. */
async function isReady(connection: ClusterConnection, access: Access): Promise<boolean> {
  try {
    const response = await sendRequest(connection, access, {
      method: 'GET',
      path: '/readyz',
      timeoutMs: 3000,
    });
    await readText(response);
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

function forbiddenError(
  connection: ClusterConnection,
  request: ApiRequest,
  cause: unknown,
): UnavailableError {
  return new UnavailableError(
    `cluster "${connection.cluster}" (${connection.server.host}) forbids ${request.method} ${plainPath(request)}; if it is not starting, the credentials lack the right`,
    { cause },
  );
}

function unansweredError(
  connection: ClusterConnection,
  request: ApiRequest,
  cause: unknown,
): UnavailableError {
  return new UnavailableError(
    `cluster "${connection.cluster}" (${connection.server.host}) did not answer ${request.method} ${plainPath(request)}`,
    { cause },
  );
}

/** The path of a request without its query. */
function plainPath(request: ApiRequest): string {
  return request.path.replace(/\?.*/, '');
}

async function readText({ body }: Response, maxBytes = Infinity): Promise<string> {
  try {
    if (maxBytes === Infinity) return await body.text();
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes)
        throw new TooLongResponseError(`a response of the API server is longer than ${maxBytes} bytes`);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (cause) {
    if (cause instanceof TooLongResponseError) throw cause;
    throw new UnavailableError('a response of the API server broke off', { cause });
  }
}

/**
 * The response is not from the API server, but from a proxy or load balancer in front of it. The status code of such
 * a response proves nothing about the objects.
 */
function foreignResponseError(
  connection: ClusterConnection,
  request: ApiRequest,
  { statusCode, headers }: Response,
): UnavailableError {
  const type = headers['content-type'];
  const what = typeof type === 'string' ? ` (${type})` : '';
  return new UnavailableError(
    `cluster "${connection.cluster}": ${request.method} ${plainPath(request)} was answered ${statusCode}${what}, but not by the API server; check the proxy or load balancer at ${connection.server.host}`,
  );
}

/** The object in a response; null when the response has no object of the API. */
function answerIn(text: string, { path }: ApiRequest): object | null {
  const parsed = tryParseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  const isOfApi = /^\/apis?(?:\/|$)/.test(path);
  return isOfApi && !('kind' in parsed && typeof parsed.kind === 'string') ? null : parsed;
}

interface ApiStatus {
  metadata?: { continue?: string };
  message?: string;
  reason?: string;
  details?: StatusDetails & { causes?: { reason?: string }[] };
}

/** Returns null when the response is not from the API server, unless its status is 429. */
function apiError(response: Response, text: string, request: ApiRequest): KubernetesApiError | null {
  const { statusCode } = response;
  const status = statusIn(text) ?? (statusCode === TOO_MANY ? { reason: 'TooManyRequests' } : null);
  if (status === null) return null;
  const { message, reason, details, metadata } = status;
  const retryAfter = Number(response.headers['retry-after']);
  return new KubernetesApiError({
    status: statusCode,
    reason: reason ?? String(statusCode),
    message: message ?? `${request.method} ${plainPath(request)} was answered ${statusCode}`,
    causes: (details?.causes ?? []).map((cause) => cause.reason ?? ''),
    details,
    object: objectIn(request.path),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
    continueToken: metadata?.continue,
  });
}

/** The response comes from the flow control of the API server, which answers plain text, or from a proxy. */
const TOO_MANY = 429;

/** The `Status` in the text of a response; null when the text is not a `Status`. */
function statusIn(text: string): ApiStatus | null {
  const parsed = tryParseJson(text);
  if (typeof parsed !== 'object' || parsed === null) return null;
  const { kind, apiVersion } = parsed as { kind?: unknown; apiVersion?: unknown };
  return kind === 'Status' && apiVersion === 'v1' ? parsed : null;
}

function tryParseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
