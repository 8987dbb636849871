import { KubernetesApiError, UnavailableError } from '../errors.ts';
import { parseExact } from '../exact-json.ts';
import { TooLongResponseError, type KubernetesClient } from './client.ts';
import { readLines, type TooLongLine } from './watch-lines.ts';

/** The fields of an API object that list and watch need. */
export interface ApiObject {
  metadata: { name: string; namespace?: string; uid: string; resourceVersion: string };
}

export interface ApiList<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[];
}

/** `PASSED` stands for events that were not kept, up to the version of `object`. */
export type WatchEvent<T> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK' | 'PASSED'; resourceVersion: string };

/** True when the objects of a namespace are wanted. */
export type Keeps = (namespace: string) => boolean;

/** The resourceVersion after this event. */
export function eventVersion<T extends ApiObject>(event: WatchEvent<T>): string {
  return 'object' in event ? event.object.metadata.resourceVersion : event.resourceVersion;
}

/** The resourceVersion has expired (410), so the caller must list again. */
export class ExpiredError extends UnavailableError {}

/** The shortest interval between two `PASSED` events, in milliseconds. */
const PASSED_MS = 1000;
const PAGE = 500;
/** A page with more bytes than this number is read again with half the number of items: objects may be as large as 1.5 MiB. */
const PAGE_BYTES = 64 * 1024 * 1024;

/** Lists a collection at one resourceVersion. `path` has no query; `query` has no `?`. */
export async function list<T>(
  client: KubernetesClient,
  path: string,
  query = '',
  signal?: AbortSignal,
): Promise<ApiList<T>> {
  const all: ApiList<T> = { metadata: { resourceVersion: '' }, items: [] };
  for await (const { metadata, items } of listPages<T>(client, path, query, signal)) {
    all.metadata = metadata;
    all.items.push(...items);
  }
  return all;
}

/**
 * The pages of a list, in order, all at one resourceVersion. If the API server drops that version during the list, the
 * function calls `onExpired`, if given, and continues at the present version. The result then lacks later changes to
 * earlier pages.
 */
export async function* listPages<T>(
  client: KubernetesClient,
  path: string,
  query = '',
  signal?: AbortSignal,
  onExpired?: () => void,
): AsyncGenerator<ApiList<T>> {
  let [next, limit] = ['', PAGE];
  let hasExpired = false;
  for (;;) {
    const parameters = [query, `limit=${limit}`, next && `continue=${encodeURIComponent(next)}`];
    const page = { path: `${path}?${parameters.filter(Boolean).join('&')}`, signal };
    const read = await readPage<T>(client, page, limit === 1 ? Infinity : PAGE_BYTES).catch(
      (error: unknown) => {
        const token =
          next === '' || hasExpired || onExpired === undefined ? undefined : continueTokenOf(error);
        if (token === undefined) throw error;
        return { token };
      },
    );
    if (read === null) {
      limit = Math.ceil(limit / 2);
      continue;
    }
    hasExpired = 'token' in read;
    if ('token' in read) {
      onExpired?.();
      next = read.token;
      continue;
    }
    yield read;
    next = read.metadata.continue ?? '';
    if (next === '') return;
  }
}

/** The pages with only the kept items. */
export async function* keptPages<T extends ApiObject>(
  pages: AsyncIterable<ApiList<T>>,
  keeps: Keeps | undefined,
): AsyncGenerator<ApiList<T>> {
  for await (const { metadata, items } of pages)
    yield { metadata, items: keeps === undefined ? items : items.filter((item) => isKept(item, keeps)) };
}

function isKept({ metadata }: ApiObject, keeps: Keeps): boolean {
  return keeps(metadata.namespace ?? '');
}

/** The position at which an expired list continues. */
function continueTokenOf(error: unknown): string | undefined {
  const cause = error instanceof ExpiredError ? error.cause : undefined;
  return cause instanceof KubernetesApiError ? cause.continueToken : undefined;
}

/** Reads a page; returns null when the page has more than `maxBytes`. */
function readPage<T>(
  client: KubernetesClient,
  page: { path: string; signal: AbortSignal | undefined },
  maxBytes: number,
): Promise<ApiList<T> | null> {
  return client
    .request<ApiList<T> | { kind: string }>({ method: 'GET', ...page, maxBytes })
    .then((read) => listIn(read, page.path))
    .catch((error: unknown) => (error instanceof TooLongResponseError ? null : rethrowExpired(error)));
}

/** The list in a response. @throws when the response is not a list, because the caller must not mistake it for an empty list. */
function listIn<T>(answer: ApiList<T> | { kind: string }, path: string): ApiList<T> {
  if ('items' in answer) return { ...answer, items: answer.items ?? [] };
  throw new UnavailableError(`the answer to the list of ${path.replace(/\?.*/, '')} is not a list`);
}

/**
 * Watches a collection from a resourceVersion on, with bookmarks. The function returns when the server ends the stream.
 * The server ends the stream after `timeoutSeconds`; the client ends it after `idleMs` without an event.
 * @throws ExpiredError on 410, UnavailableError when the stream breaks or stays silent.
 */
export async function* watch<T extends ApiObject>(
  client: KubernetesClient,
  path: string,
  from: {
    resourceVersion: string;
    query?: string | undefined;
    timeoutSeconds: number;
    idleMs: number;
    signal: AbortSignal;
    /** Events of other namespaces are dropped, in general before they are parsed. By default, all events are kept. */
    keeps?: Keeps | undefined;
    /** Runs when the response begins. */
    onOpen?: () => void;
    /** Receives the beginning of a line that is too long, instead of the event. */
    onTooLong?: (line: TooLongLine) => void;
  },
): AsyncGenerator<WatchEvent<T>> {
  const idle = new AbortController();
  const signal = AbortSignal.any([from.signal, idle.signal]);
  const query = [
    from.query,
    'watch=1',
    'allowWatchBookmarks=true',
    `resourceVersion=${from.resourceVersion}`,
    `timeoutSeconds=${from.timeoutSeconds}`,
  ];
  const response = await client
    .stream({ method: 'GET', path: `${path}?${query.filter(Boolean).join('&')}`, signal })
    .catch(rethrowExpired);
  from.onOpen?.();
  let timer = setTimeout(() => idle.abort(), from.idleMs);
  let passedAt = -Infinity;
  try {
    for await (const line of readLines(response, from.onTooLong)) {
      clearTimeout(timer);
      timer = setTimeout(() => idle.abort(), from.idleMs);
      const passed = from.keeps === undefined ? null : passedVersion(line, from.keeps);
      if (passed === null) yield parseEvent<T>(line);
      else if (performance.now() - passedAt > PASSED_MS) {
        passedAt = performance.now();
        yield { type: 'PASSED', resourceVersion: passed };
      }
    }
  } catch (error) {
    if (from.signal.aborted) return;
    if (idle.signal.aborted)
      throw new UnavailableError(`the watch of ${path} was silent for ${from.idleMs} ms`);
    throw error;
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
}

/** Matches an event as the API server writes it, up to the version of its object. */
const BEGINNING =
  /^\{"type":"(?:ADDED|MODIFIED|DELETED)","object":\{"kind":"[^"\\]+","apiVersion":"[^"\\]+","metadata":\{"name":"[^"\\]+",(?:"generateName":"[^"\\]*",)?"namespace":"([^"\\]+)","uid":"[^"\\]+","resourceVersion":"(\d+)"/;

/** The version of an object that is not kept; null for every other line. */
function passedVersion(line: string, keeps: Keeps): string | null {
  const [, namespace, resourceVersion] = BEGINNING.exec(line) ?? [];
  if (namespace !== undefined && resourceVersion !== undefined)
    return keeps(namespace) ? null : resourceVersion;
  const { type, object } = rawEventIn(line);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return null;
  const read = object as unknown as ApiObject;
  return isKept(read, keeps) ? null : read.metadata.resourceVersion;
}

interface RawWatchEvent {
  type: string;
  object: { metadata?: { resourceVersion?: string }; code?: number; reason?: string; message?: string };
}

function parseEvent<T extends ApiObject>(line: string): WatchEvent<T> {
  const event = rawEventIn(line);
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.object as unknown as T };
    case 'BOOKMARK':
      return { type: 'BOOKMARK', resourceVersion: event.object.metadata?.resourceVersion ?? '' };
    default:
      if (event.object.code === 410)
        throw new ExpiredError(event.object.message ?? 'the resourceVersion expired');
      throw new UnavailableError(`the watch failed: ${event.object.message ?? event.type}`);
  }
}

/** @throws UnavailableError for a line that is not a watch event, such as the page of a proxy. */
function rawEventIn(line: string): RawWatchEvent {
  try {
    const event = parseExact(line) as RawWatchEvent | null;
    if (typeof event?.object === 'object') return event;
  } catch (cause) {
    throw new UnavailableError('the watch sent a line that is not JSON', { cause });
  }
  throw new UnavailableError('the watch sent a line that is not a watch event');
}

function rethrowExpired(error: unknown): never {
  if (error instanceof KubernetesApiError && error.status === 410)
    throw new ExpiredError(error.message, { cause: error });
  throw error;
}
