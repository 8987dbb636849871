import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import { BUILT_IN_MANAGER, OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { TestCluster } from '../support/cluster.ts';
import type { Target } from './hostile-objects.ts';

/** Two equal Jobs created at the same moment, and how long each took until it was seen complete, in milliseconds. */
interface Pair {
  number: number;
  ours?: number;
  builtIn?: number;
}

const POLL_MS = 100;
const MOST_TARGETS = 50;

/** The Jobs of a tenant who attacks nobody: one pair every `everyMs`, of Jobledger and of the built-in controller. */
export interface Pairs {
  /** Those of this tenant's objects that an attacker knows. */
  targets: () => readonly Target[];
  /** Creates no more, and resolves when all are complete, or after `patienceMs`. */
  finish(patienceMs: number): Promise<Pair[]>;
}

export function createPairs(
  { client, namespace }: TestCluster,
  { everyMs, secret }: { everyMs: number; secret: string },
): Pairs {
  const jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  const pairs: Pair[] = [];
  const begun = new Map<string, { pair: Pair; side: 'ours' | 'builtIn'; at: number }>();
  const targets: Target[] = [];
  const [last, over] = [new AbortController(), new AbortController()];
  const create = async (pair: Pair, side: 'ours' | 'builtIn'): Promise<void> => {
    const name = `${side === 'ours' ? 'ours' : 'theirs'}-${pair.number}`;
    begun.set(name, { pair, side, at: Date.now() });
    const containers = [{ name: 'main', image: 'none', command: ['true'] }];
    const { metadata } = await client.request<Job>({
      method: 'POST',
      path: jobs,
      body: {
        metadata: { name, labels: { secret } },
        spec: {
          managedBy: side === 'ours' ? OWN_MANAGER : BUILT_IN_MANAGER,
          template: { spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers } },
        },
      },
    });
    targets.push({ kind: 'Job', namespace, name, uid: metadata.uid });
    if (targets.length > MOST_TARGETS) targets.shift();
  };
  const creating = (async () => {
    for (let number = 0; !last.signal.aborted; number += 1) {
      const pair: Pair = { number };
      pairs.push(pair);
      await Promise.all([create(pair, 'ours'), create(pair, 'builtIn')]);
      await delay(everyMs);
    }
  })();
  const looking = (async () => {
    while (!over.signal.aborted) {
      const { items } = await client.request<{ items: Job[] }>({ method: 'GET', path: jobs });
      const now = Date.now();
      for (const { metadata, status } of items) {
        const job = begun.get(metadata.name);
        if (job === undefined || trueCondition(status ?? {}, 'Complete') === undefined) continue;
        begun.delete(metadata.name);
        job.pair[job.side] = now - job.at;
      }
      await delay(POLL_MS);
    }
  })();
  // Observed at the end.
  creating.catch(() => undefined);
  looking.catch(() => undefined);
  return {
    targets: () => targets,
    async finish(patienceMs) {
      last.abort();
      await creating;
      const limit = Date.now() + patienceMs;
      while (begun.size > 0 && Date.now() < limit) await Promise.race([delay(POLL_MS), looking]);
      over.abort();
      await looking;
      return pairs;
    },
  };
}
