import type { Pod } from '../../workflows/kubernetes/objects.ts';
import { parseInstant } from '../../workflows/ledger/instants.ts';
import { eventsOfJobs } from './ledger-events.ts';

interface Life {
  from: number;
  until: number;
}

/** UIDs of the pods that ran, or waited to run, in a cluster at an instant, folded from the ledger's records alone. */
export async function podsAsOf(variables: NodeJS.ProcessEnv, cluster: string, at: Date): Promise<string[]> {
  const lives = new Map<string, Life>();
  for (const event of await eventsOfJobs(variables)) {
    if (event.data.cluster !== cluster) continue;
    if (event.type === 'pod.observed') {
      const { object } = event.data;
      const { uid } = object.metadata;
      const until = Math.min(lives.get(uid)?.until ?? Infinity, podEnd(object));
      lives.set(uid, { from: parseInstant(object.metadata.creationTimestamp) ?? -Infinity, until });
    } else if (event.type === 'pod.deleted') {
      const life = lives.get(event.data.podUid);
      if (life !== undefined) life.until = Math.min(life.until, Date.parse(event.time));
    }
  }
  const isOpen = ({ from, until }: Life): boolean => from <= at.getTime() && at.getTime() < until;
  return [...lives]
    .filter(([, life]) => isOpen(life))
    .map(([uid]) => uid)
    .toSorted();
}

/** The time when the last container of the pod ended; Infinity while a container has not ended. */
function podEnd({ status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) =>
    parseInstant(state?.terminated?.finishedAt),
  );
  return Math.max(-Infinity, ...ends.map((end) => end ?? Infinity), ...(ends.length === 0 ? [Infinity] : []));
}
