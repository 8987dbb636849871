import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request of HTTP. */
export interface Exchange {
  method: 'GET' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Certificates of authorities in PEM; null for the well-known authorities. */
  ca: string | null;
  signal: AbortSignal;
}

/** The response of the server, as soon as the response begins. Redirections are not followed. */
export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body, in chunks as they arrive. @throws when the body breaks off, or the signal is aborted. */
  body: AsyncIterable<Uint8Array>;
}

/** Sends a request, and waits for the beginning of the response. */
export async function exchange(
  url: string,
  { method, headers, body, ca, signal }: Exchange,
): Promise<Response> {
  // `process.getBuiltinModule` loads the module in 2 ms; an import also loads Node's fetch, which takes longer than
  // most requests.
  const { request } = process.getBuiltinModule(
    new URL(url).protocol === 'http:' ? 'node:http' : 'node:https',
  );
  const options = {
    method,
    signal,
    headers: { ...headers, 'accept-encoding': 'gzip' },
    ...(ca !== null && { ca }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body);
  });
  return { status: response.statusCode ?? 0, headers: response.headers, body: decompressedBody(response) };
}

function decompressedBody(response: IncomingMessage): AsyncIterable<Uint8Array> {
  if (response.headers['content-encoding'] !== 'gzip') return response;
  const { pipeline } = process.getBuiltinModule('node:stream');
  const { createGunzip } = process.getBuiltinModule('node:zlib');
  // The reader of the stream gets the error.
  return pipeline(response, createGunzip(), () => undefined);
}

/** The whole body as text. */
export async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}
