import { PassThrough } from 'node:stream';
import { KubernetesApiError } from '../../services/adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import type { ApiObject } from '../../services/adapters/kubernetes/watch.ts';

/** One collection of an API server that the test plays: what lists return, and what watches get. */
export interface Collection<T extends ApiObject> {
  client: KubernetesClient;
  /** Returned by lists from now on; watches do not see it. */
  hold(...objects: T[]): void;
  drop(object: T): void;
  /** The version of the next list. */
  at(version: string): void;
  /** Sent to the open watch, and to each later one from an older version. */
  append(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
  bookmark(version: string): void;
  /** The server ends the open watches. */
  endWatches(): void;
  /** Watches from an older version are answered 410. */
  forgetBefore(version: string): void;
  /** The versions that watches began at, and `list` for each list, in order. */
  asked: string[];
}

interface WatchLine {
  version: number;
  line: string;
}

export function aCollection<T extends ApiObject>(cluster: string): Collection<T> {
  const objects = new Map<string, T>();
  const lines: WatchLine[] = [];
  const asked: string[] = [];
  const open = new Set<PassThrough>();
  let [version, oldest] = ['1', 0];
  const report = (at: string, event: unknown): void => {
    const line = `${JSON.stringify(event)}\n`;
    lines.push({ version: Number(at), line });
    for (const stream of open) stream.write(line);
  };
  const watched = (request: ApiRequest): PassThrough => {
    const from = new URL(request.path, 'http://played').searchParams.get('resourceVersion') ?? '';
    asked.push(from);
    if (Number(from) < oldest)
      throw new KubernetesApiError({ status: 410, reason: 'Expired', message: 'too old', causes: [] });
    const stream = new PassThrough();
    for (const each of lines) if (each.version > Number(from)) stream.write(each.line);
    open.add(stream);
    stream.on('close', () => open.delete(stream));
    request.signal?.addEventListener('abort', () => stream.destroy(new Error('aborted')));
    return stream;
  };
  return {
    asked,
    client: {
      cluster,
      request<R>() {
        asked.push('list');
        return Promise.resolve({
          metadata: { resourceVersion: version },
          items: [...objects.values()],
        } as R);
      },
      stream: async (request) => watched(request),
    },
    hold: (...held) => held.forEach((object) => objects.set(object.metadata.uid, object)),
    drop: ({ metadata }) => objects.delete(metadata.uid),
    at(listed) {
      version = listed;
    },
    append: (type, object) => report(object.metadata.resourceVersion, { type, object }),
    bookmark: (at) => report(at, { type: 'BOOKMARK', object: { metadata: { resourceVersion: at } } }),
    endWatches: () => open.forEach((stream) => stream.end()),
    forgetBefore(first) {
      oldest = Number(first);
    },
  };
}
