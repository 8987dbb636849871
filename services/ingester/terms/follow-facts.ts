import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../../adapters/errors.ts';
import { clusterFacts, type ClusterFacts } from '../../adapters/kubernetes/cluster-facts.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';

const LOOK_MS = 60_000;

/**
 * Looks every minute whether the cluster has another version or serves other APIs, as after an upgrade of its control plane. Calls
 * `onChange` when two looks in a row agree: while API servers are upgraded one after another, the answers differ. Returns when
 * `signal` is aborted. After an error, also of `onChange`, the check is repeated.
 */
export async function followFacts(
  client: KubernetesClient,
  known: ClusterFacts,
  {
    onChange,
    log,
    signal,
    lookMs = LOOK_MS,
  }: { onChange: (facts: ClusterFacts) => Promise<void>; log: Log; signal: AbortSignal; lookMs?: number },
): Promise<void> {
  let [recorded, last] = [known, known];
  for (;;) {
    await pause(lookMs, signal);
    if (signal.aborted) return;
    try {
      const seen = await clusterFacts(client, signal);
      if (isDeepStrictEqual(seen, last) && !isDeepStrictEqual(seen, recorded)) {
        await onChange(seen);
        recorded = seen;
      }
      last = seen;
    } catch (error) {
      log.debug(
        { cluster: client.cluster, error: errorMessage(error) },
        'the cluster does not report what it is',
      );
    }
  }
}
