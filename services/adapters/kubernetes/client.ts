import http from 'node:http';
import https from 'node:https';
import { JobledgerError, KubernetesApiError, UnavailableError } from '../errors.ts';
import { parseExact, stringifyExact } from '../exact-json.ts';
import type { ClusterConnection } from './connection.ts';
import { unlimited, type RateLimit } from './rate-limit.ts';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface ApiRequest {
  method: Verb;
  /** Path below the server's root, with the query, e.g. `/api/v1/namespaces/default/pods?limit=500`. */
  path: string;
  body?: unknown;
  /** Default `application/json`; a PATCH must set its patch type. */
  contentType?: string;
  signal?: AbortSignal | undefined;
  /** Timeout for the response in milliseconds. Default 30 s. */
  timeoutMs?: number;
  /** The longest response to read, in bytes. Default: any. */
  maxBytes?: number;
}

export class TooLongResponseError extends JobledgerError {
  override readonly name = 'TooLongResponseError';
}

/** Called for every finished request; the status is 0 when there was no response. */
export type RequestObserver = (request: { method: Verb; host: string; status: number }) => void;

/** A JSON client for one API server. Objects are not changed, so unknown fields survive a read and write. */
export interface KubernetesClient {
  readonly cluster: string;
  /**
   * @throws KubernetesApiError for a response that is not 2xx, UnavailableError when there is none, TooLongResponseError
   * for one of more than `maxBytes`.
   */
  request<T>(request: ApiRequest): Promise<T>;
  /** Opens a stream of newline-separated JSON (watch) or text (log). Aborting `signal` ends it. */
  stream(request: ApiRequest): Promise<http.IncomingMessage>;
}

export function createKubernetesClient(
  connection: ClusterConnection,
  { observe = () => undefined, limit = unlimited }: { observe?: RequestObserver; limit?: RateLimit } = {},
): KubernetesClient {
  const seen = ({ method }: ApiRequest, status = 0): void =>
    observe({ method, host: connection.server.host, status });
  const observed = async (
    options: https.RequestOptions,
    request: ApiRequest,
  ): Promise<http.IncomingMessage> => {
    const response = await send(connection, options, request).catch((error: unknown) => {
      seen(request);
      throw error;
    });
    seen(request, response.statusCode);
    return response;
  };
  const open = async (request: ApiRequest): Promise<http.IncomingMessage> => {
    await limit(request.signal);
    let options = await connection.options();
    let response = await observed(options, request);
    if (response.statusCode === 401) {
      // The credentials may have just been renewed. A 401 has no effect on the server, so retrying is safe.
      const renewed = await connection.options();
      if (!isSameAccess(renewed, options)) {
        response.destroy();
        [options, response] = [renewed, await observed(renewed, request)];
      }
    }
    if ((response.statusCode ?? 500) < 300) return response;
    const error = apiError(response, await textOf(response), request);
    throw error.status === 403 && !(await isReady(connection, options))
      ? forbidden(connection, request, error)
      : error;
  };
  return {
    cluster: connection.cluster,
    stream: open,
    async request<T>(request: ApiRequest): Promise<T> {
      const text = await textOf(await open(request), request.maxBytes);
      return parseExact(text) as T;
    },
  };
}

function isSameAccess(a: https.RequestOptions, b: https.RequestOptions): boolean {
  return a.agent === b.agent && JSON.stringify(a.headers) === JSON.stringify(b.headers);
}

function send(
  connection: ClusterConnection,
  options: https.RequestOptions,
  request: ApiRequest,
): Promise<http.IncomingMessage> {
  const body = request.body === undefined ? undefined : Buffer.from(stringifyExact(request.body));
  const url = new URL(connection.server.href.replace(/\/$/, '') + request.path);
  const headers: http.OutgoingHttpHeaders = {
    ...(options.headers as http.OutgoingHttpHeaders | undefined),
    accept: 'application/json',
    'user-agent': 'jobledger',
    ...(body === undefined
      ? {}
      : { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length }),
  };
  return new Promise((resolve, reject) => {
    const transport = url.protocol === 'https:' ? https : http;
    const sent = transport.request(
      url,
      {
        ...options,
        method: request.method,
        headers,
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      },
      (response) => {
        sent.setTimeout(0);
        resolve(response);
      },
    );
    sent.setTimeout(request.timeoutMs ?? 30_000, () => sent.destroy(new Error('no response in time')));
    sent.on('error', (cause) => reject(unavailable(connection, request, cause)));
    sent.end(body);
  });
}

/** An API server that is starting has not loaded its roles yet and forbids everything, including /readyz. */
async function isReady(connection: ClusterConnection, options: https.RequestOptions): Promise<boolean> {
  try {
    const response = await send(connection, options, { method: 'GET', path: '/readyz', timeoutMs: 3000 });
    await textOf(response);
    return response.statusCode === 200;
  } catch {
    return false;
  }
}

function forbidden(connection: ClusterConnection, request: ApiRequest, cause: unknown): UnavailableError {
  return new UnavailableError(
    `cluster "${connection.cluster}" (${connection.server.host}) forbids ${request.method} ${pathOf(request)}; if it is not starting, the credentials lack the right`,
    { cause },
  );
}

function unavailable(connection: ClusterConnection, request: ApiRequest, cause: unknown): UnavailableError {
  return new UnavailableError(
    `cluster "${connection.cluster}" (${connection.server.host}) did not answer ${request.method} ${pathOf(request)}`,
    { cause },
  );
}

function pathOf(request: ApiRequest): string {
  return request.path.replace(/\?.*/, '');
}

async function textOf(response: http.IncomingMessage, maxBytes = Infinity): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > maxBytes) break;
    }
  } catch (cause) {
    throw new UnavailableError('a response of the API server broke off', { cause });
  }
  if (bytes > maxBytes)
    throw new TooLongResponseError(`a response of the API server is longer than ${maxBytes} bytes`);
  return Buffer.concat(chunks).toString('utf8');
}

interface ApiStatus {
  message?: string;
  reason?: string;
  details?: { causes?: { reason?: string }[] };
}

function apiError(response: http.IncomingMessage, text: string, request: ApiRequest): KubernetesApiError {
  const status = parseStatus(text);
  const retryAfter = Number(response.headers['retry-after']);
  return new KubernetesApiError({
    status: response.statusCode ?? 0,
    reason: status.reason ?? String(response.statusCode),
    message: status.message ?? `${request.method} ${pathOf(request)} was answered ${response.statusCode}`,
    causes: (status.details?.causes ?? []).map((cause) => cause.reason ?? ''),
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

function parseStatus(text: string): ApiStatus {
  try {
    const parsed = JSON.parse(text) as unknown;
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
