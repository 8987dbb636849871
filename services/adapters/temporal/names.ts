import type { KindName } from '../../../workflows/kind.ts';
import { streamId } from '../../../workflows/kinds.ts';

/** The workflow id of an object is the id of its stream. */
export function workflowId(cluster: string, uid: string, kind: KindName): string {
  return streamId({ cluster, uid, kind });
}

/**
 * Each cluster has its own task queues, because a worker serves only its configured clusters. Each build of the
 * workflow code has its own task queue too, because a run must be replayed by the code that started it.
 */
export function taskQueue(cluster: string, build: string): string {
  return `jobledger-${cluster}-${build}`;
}
