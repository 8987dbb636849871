import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../../adapters/errors.ts';
import { clusterFacts, type ClusterFacts } from '../../adapters/kubernetes/cluster-facts.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';

const POLL_MS = 60_000;

/**
 * Checks every minute whether the cluster has another version or serves other APIs, for example after an upgrade of its
 * control plane. Calls `onChange` when two checks in a row agree, because the answers differ while API servers are
 * upgraded one after another. Returns when `signal` is aborted. The check is repeated after an error, including an
 * error of `onChange`.
 */
export async function followFacts(
  client: KubernetesClient,
  known: ClusterFacts,
  {
    onChange,
    log,
    signal,
    pollMs = POLL_MS,
  }: { onChange: (facts: ClusterFacts) => Promise<void>; log: Log; signal: AbortSignal; pollMs?: number },
): Promise<void> {
  let [recorded, last] = [known, known];
  for (;;) {
    await pause(pollMs, signal);
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
        'the version and the APIs of the cluster cannot be read',
      );
    }
  }
}
