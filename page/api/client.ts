import createClient, { type Client } from 'openapi-fetch';
import type { paths } from '../../build/api-types.ts';
import { ApiError, toApiError } from './problem.ts';
import { noteResponse, markUnreachable } from './reachability.ts';
import { sessionToken } from './session.ts';

/** The page is in a folder of the API's origin: /ui/. */
export const API = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** The API's routes, typed by its OpenAPI document. */
export const api: Client<paths> = createClient<paths>({ baseUrl: API, fetch: authorizedFetch });

/** `fetch` with the token of the session. @throws ApiError with status 0 when the API cannot be reached. */
export async function authorizedFetch(
  input: Request | URL | string,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(input, init);
  const token = sessionToken();
  if (token !== null) request.headers.set('authorization', `Bearer ${token}`);
  try {
    const response = await fetch(request);
    noteResponse(response);
    return response;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    markUnreachable();
    throw new ApiError(0, 'the API cannot be reached');
  }
}

/** The body of a response. @throws ApiError if the response has no body. */
export async function requireBody<T>(
  answer: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data: body, error, response } = await answer;
  if (body === undefined) throw toApiError(response.status, error);
  return body;
}

/** The items of all pages, in order. Reads no more pages once it has `most` items. */
export async function allPages<T>(
  page: (cursor: string | undefined) => Promise<{ items: T[]; next: string | null }>,
  most: number,
): Promise<{ items: T[]; isWhole: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const { items: more, next } = await page(cursor);
    items.push(...more);
    cursor = next ?? undefined;
  } while (cursor !== undefined && items.length < most);
  return { items, isWhole: cursor === undefined };
}
