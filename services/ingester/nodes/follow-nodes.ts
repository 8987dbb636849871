import { errorMessage } from '../../adapters/errors.ts';
import { collectionPath } from '../../adapters/kubernetes/collection-path.ts';
import { list, eventVersion, watch } from '../../adapters/kubernetes/watch.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import { encodeLiveRecord } from '../../live-topic/live-topic.ts';
import type { Term } from '../terms/open-term.ts';
import { createRecordedNodes, type RecordedNodes } from './recorded-nodes.ts';
import type { WatchedNode } from './node-facts.ts';

const PATH = collectionPath('nodes', undefined);
const WATCH_SECONDS = 300;
/** Bookmarks come every minute, so a longer silence means a dead connection. */
const IDLE_MS = 90_000;
/** The time between two records of changes, in milliseconds. */
const INTERVAL_MS = 10_000;
/** The most nodes whose changes are appended at once. */
const AT_ONCE = 500;

/** Records the nodes of the cluster until the term ends: each list is compared with what earlier terms recorded. */
export async function followNodes(term: Term): Promise<void> {
  const { scope, records, signal } = term;
  const nodes = createRecordedNodes(scope, records);
  await Promise.all([watchNodes(term, nodes), recordChanges(term, nodes, signal)]);
}

async function watchNodes({ client, log, signal }: Term, nodes: RecordedNodes): Promise<void> {
  const { cluster } = client;
  const now = (): string => new Date().toISOString();
  const listAndWatch = async (reset: () => void): Promise<void> => {
    const { metadata, items } = await list<WatchedNode>(client, PATH, '', signal);
    for (const node of items) nodes.observed(node, now());
    nodes.listed(new Set(items.map((node) => node.metadata.uid)), now());
    let position = metadata.resourceVersion;
    while (!signal.aborted) {
      const from = { resourceVersion: position, timeoutSeconds: WATCH_SECONDS, idleMs: IDLE_MS, signal };
      for await (const event of watch<WatchedNode>(client, PATH, from)) {
        position = eventVersion(event);
        reset();
        if (!('object' in event)) continue;
        if (event.type === 'DELETED') nodes.deleted(event.object, now());
        else nodes.observed(event.object, now());
      }
    }
  };
  const onFailedAttempt = logFailures(log, 'the watch of the nodes ended; listing them again', { cluster });
  await retry(listAndWatch, { signal, shouldRetry: () => true, onFailedAttempt }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** Appends the changes at intervals, so that several changes of a node in a short time are one event. */
async function recordChanges(
  { appender, kafka, permit, log, scope: { cluster } }: Term,
  nodes: RecordedNodes,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(INTERVAL_MS, signal);
    if (signal.aborted) return;
    try {
      for (;;) {
        const changes = nodes.changes(AT_ONCE);
        if (changes.events.length === 0) break;
        await appender.append(changes.events, permit);
        // Without these records, the next term would record the same facts again, which changes nothing.
        await appender.write(kafka.topics.live, changes.records.map(encodeLiveRecord), permit);
        nodes.confirm(changes);
      }
    } catch (error) {
      if (!signal.aborted)
        log.warn({ cluster, error: errorMessage(error) }, 'nodes are not recorded; trying again');
    }
  }
}
