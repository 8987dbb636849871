import { isAbsent, errorMessage } from '../../../../services/adapters/errors.ts';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import type { Log } from '../../../../services/adapters/process/log.ts';
import { pause } from '../../../../services/adapters/waiting/pause.ts';
import { createLease, renewLease } from './lease.ts';
import type { NodeObject } from './node-object.ts';
import { registerNode, writeNodeStatus, type NodeAt } from './register.ts';

const LEASE_EVERY_MS = 5000;
const STATUS_EVERY_MS = 60_000;
const RETRY_MS = 500;

/** Registers the node, retrying while the API server does not respond, and keeps it Ready until `signal` is aborted. */
export async function keepNodePresent(given: {
  client: KubernetesClient;
  at: NodeAt;
  log: Log;
  signal: AbortSignal;
  registered: () => void;
}): Promise<void> {
  const { client, at, log, signal } = given;
  let node: NodeObject | undefined = undefined;
  let statusAt = 0;

  while (!signal.aborted) {
    try {
      if (node === undefined) {
        const registered = await registerNode(client, at, log);
        statusAt = Date.now();
        await createLease(client, registered);
        node = registered;
      } else if (Date.now() - statusAt >= STATUS_EVERY_MS) {
        node = await writeNodeStatus(client, at, node);
        statusAt = Date.now();
      }
      given.registered();
      await renewLease(client, at.name);
    } catch (error) {
      log.warn({ error: errorMessage(error) }, 'cannot register the node or renew its Lease; retrying');
      // The Node or its Lease was deleted.
      if (isAbsent(error)) node = undefined;
      await pause(RETRY_MS, signal);
      continue;
    }
    await pause(LEASE_EVERY_MS, signal);
  }
}
