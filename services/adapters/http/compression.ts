import compress from '@fastify/compress';
import type { HttpServer } from './http-server.ts';

/** The size in bytes below which compression costs more than it saves. */
const SMALLEST = 1024;

/** Compresses responses of JSON for clients that accept it. A stream of events stays as it is: its events must not wait. */
export async function compressResponses(server: HttpServer): Promise<void> {
  await server.register(compress, {
    threshold: SMALLEST,
    encodings: ['gzip'],
    customTypes: /^application\/(?:[\w.-]+\+)?json\b/,
    // Requests are not decompressed, because a compressed request could grow without limit.
    globalDecompression: false,
    // This level saves almost as much as the highest level, in a fraction of the time.
    zlibOptions: { level: 1 },
  });
}
