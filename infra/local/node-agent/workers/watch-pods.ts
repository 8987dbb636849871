import { errorMessage } from '../../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { list, eventVersion, watch } from '../../../../services/adapters/kubernetes/watch.ts';
import type { Log } from '../../../../services/adapters/process/log.ts';
import { pause } from '../../../../services/adapters/waiting/pause.ts';
import type { AgentPod } from '../pod/pod.ts';
import type { Pods } from './pods.ts';

const PATH = '/api/v1/pods';
/** The server ends a watch after this time; the next watch continues from the last resourceVersion. */
const WATCH_SECONDS = 300;
/** The server sends a bookmark about every minute; a stream that is silent for longer is dead. */
const IDLE_MS = 90_000;
/** The delay between a broken watch and the next list. */
const RETRY_MS = 500;

/** Lists and watches the pods of one node until `signal` is aborted; relists after every error. */
export async function watchPods(given: {
  client: KubernetesClient;
  node: string;
  pods: Pods;
  log: Log;
  signal: AbortSignal;
  /** The callback after the first list. */
  listed: () => void;
}): Promise<void> {
  const query = `fieldSelector=${encodeURIComponent(`spec.nodeName=${given.node}`)}`;
  while (!given.signal.aborted) {
    try {
      const { items, metadata } = await list<AgentPod>(given.client, PATH, query, given.signal);
      given.pods.listed(items);
      given.listed();
      await followWatch(given, query, metadata.resourceVersion);
    } catch (error) {
      if (given.signal.aborted) return;
      given.log.warn({ error: errorMessage(error) }, 'the watch of the pods failed; relisting');
      await pause(RETRY_MS, given.signal);
    }
  }
}

async function followWatch(
  given: { client: KubernetesClient; pods: Pods; signal: AbortSignal },
  query: string,
  from: string,
): Promise<void> {
  let resourceVersion = from;
  while (!given.signal.aborted) {
    const at = {
      resourceVersion,
      query,
      timeoutSeconds: WATCH_SECONDS,
      idleMs: IDLE_MS,
      signal: given.signal,
    };
    for await (const event of watch<AgentPod>(given.client, PATH, at)) {
      resourceVersion = eventVersion(event);
      if (event.type === 'DELETED') given.pods.removed(event.object);
      else if ('object' in event) given.pods.observed(event.object);
    }
  }
}
