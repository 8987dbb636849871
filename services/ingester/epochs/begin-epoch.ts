import { UnavailableError } from '../../adapters/errors.ts';
import { createTurns } from '../../adapters/waiting/turns.ts';
import { anotherClusterText, KUBE_SYSTEM, namespaceUid } from '../../live-topic/cluster-identity.ts';
import { epochRecord, type Epoch } from '../../live-topic/epoch.ts';
import { encodeLiveRecord, readLiveTopic, type LiveRecord } from '../../live-topic/live-topic.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import type { LiveSet } from '../live-set/live-set.ts';
import type { Term } from '../terms/open-term.ts';
import { createReadFurthest, hasEpochPassed } from './furthest.ts';
import { createVersionCheck, type History, type ReachedVersion } from './version-check.ts';

const RESTORED =
  'the API server was restored from an older copy: everything is listed and recorded again, in a new epoch (docs/backup-and-disaster.md)';

/**
 * Returns a function that checks whether the API server was restored from an older copy. If the API server was ended,
 * the function records the next epoch and aborts `ended`, which ends the present epoch. The function also aborts
 * `ended` when another shard has begun the next epoch, and when another cluster is at the address. @throws
 * UnavailableError in each of these cases: the watch must not be opened.
 */
export function createRestoreCheck(
  term: Term,
  { live, queue, ended }: { live: LiveSet; queue: AppendQueue; ended: AbortController },
): (reached: ReachedVersion) => Promise<History> {
  const { client, log, kafka, appender, shard, records, identity, epoch, permit, signal } = term;
  const { cluster, epoch: present = 0 } = term.scope;
  const oneAtATime = createTurns(1);
  const requireSame = async (): Promise<void> => {
    const uid = await namespaceUid(client, identity.namespace ?? KUBE_SYSTEM, signal);
    if (uid === identity.uid) return;
    // The check at the beginning of the next epoch refuses the cluster.
    ended.abort();
    throw new UnavailableError(anotherClusterText(cluster, identity.uid, uid));
  };
  const read = (): Promise<readonly LiveRecord[]> => readLiveTopic(kafka);
  return createVersionCheck({
    client,
    signal,
    furthest:
      shard.of === 1
        ? undefined
        : createReadFurthest(cluster, present, { records, read, onPassed: () => ended.abort() }),
    requireSame,
    begin: (found) =>
      oneAtATime(async () => {
        if (ended.signal.aborted) return;
        // Observations of the old epoch are recorded before the new one begins.
        await queue.drained();
        if (shard.of > 1 && hasEpochPassed(cluster, present, await read())) return ended.abort();
        const next = epochRecord(cluster, nextEpoch(epoch, { ...found, since: lastSeenTime(live) }));
        await appender.write(kafka.topics.live, [encodeLiveRecord(next)], permit);
        log.error({ cluster, ...found }, RESTORED);
        ended.abort();
      }),
  });
}

/** The epoch after `before`. `since` is the time at which the last version of the old epoch was seen. */
export function nextEpoch(
  before: Epoch | null,
  { from, to, since }: { from: string; to: string; since: string },
): Epoch {
  return { epoch: (before?.epoch ?? 0) + 1, from, to, since, until: new Date().toISOString() };
}

/** The instant at which a watch last reached a version. */
function lastSeenTime({ positions }: LiveSet): string {
  const times = Object.values(positions).flatMap((position) => position?.time ?? []);
  return times.toSorted().at(-1) ?? new Date().toISOString();
}
