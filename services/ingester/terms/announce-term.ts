import type {
  ClusterConnected,
  ClusterRestored,
  OptionalResource,
} from '../../../workflows/ledger/cluster-events.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import { identityRecords } from '../../live-topic/cluster-identity.ts';
import { epochRecord, type Epoch } from '../../live-topic/epoch.ts';
import { encodeLiveRecord, type LiveRecord } from '../../live-topic/live-topic.ts';
import { leaderRecord } from '../../live-topic/watches.ts';
import { RESOURCES } from '../live-set/live-set.ts';
import type { Watched } from './earlier-terms.ts';
import type { Identity } from './identity.ts';
import { notRecorded } from './optional-resources.ts';
import type { Term } from './open-term.ts';

/**
 * Writes the records with which a term begins: the identity of the cluster, the leader, the beginning of the epoch, and
 * the settings that hold in this term. @throws UnavailableError.
 */
export async function announceTerm(term: Term, watched: readonly Watched[]): Promise<void> {
  const { scope, epoch, appender, kafka, permit } = term;
  const { cluster } = scope;
  await announceLeadership(term);
  const isNew = watched.some(({ before }) => RESOURCES.some((resource) => before.isRestored(resource)));
  // This event comes before everything else of the epoch, and is appended again after a crash.
  if (epoch !== null && isNew) await appender.append([restoredEvent(cluster, epoch)], permit);
  const dropped = watched.flatMap(({ before }) => before.dropped);
  if (dropped.length > 0) await appender.write(kafka.topics.live, dropped.map(encodeLiveRecord), permit);
  await writeSettings(
    term,
    watched.flatMap(({ before }) => before.copies),
  );
  if (epoch !== null && isNew) await writeSettings(term, [epochRecord(cluster, epoch)]);
}

/** Records the identity of the cluster, and that this ingester leads the shard. */
async function announceLeadership(term: Term): Promise<void> {
  const { identity, shard, appender, kafka, holder, recordedFields, parts, permit } = term;
  const { cluster } = term.scope;
  await appender.append([connectedEvent(cluster, identity, notRecorded(term))], permit);
  const identified = identityRecords(cluster, identity).map(encodeLiveRecord);
  const writeRecords = (records: readonly ReturnType<typeof encodeLiveRecord>[]): Promise<void> =>
    appender.write(kafka.topics.live, records, permit);
  await writeRecords(identified.slice(0, -1));
  // These records are written before the first fact of the cluster, so that a reader of a fact finds that an ingester
  // watches the cluster.
  await writeRecords([
    ...identified.slice(-1),
    encodeLiveRecord({ cluster, kind: 'connected', key: 'ledger', value: true }),
    leaderRecord(cluster, shard, {
      identity: holder,
      recordedFields,
      unwrittenSince: term.unwrittenSince,
      parts,
    }),
  ]);
}

/** Writes the records of settings; a failure is ignored, because the next term records the objects again. */
export async function writeSettings(
  { appender, kafka, permit }: Pick<Term, 'appender' | 'kafka' | 'permit'>,
  records: readonly LiveRecord[],
): Promise<void> {
  if (records.length === 0) return;
  await appender.write(kafka.topics.live, records.map(encodeLiveRecord), permit).catch(() => undefined);
}

/** The event about the identity of a cluster, the facts about it, and the optional resources that are not recorded. */
export function connectedEvent(
  cluster: string,
  { apis, ...identity }: Identity,
  missing: readonly OptionalResource[],
): ClusterConnected {
  const time = new Date().toISOString();
  return withDigest<ClusterConnected>({
    id: `${cluster}/connected/${identity.uid}/${time}`,
    type: 'cluster.connected',
    source: cluster,
    subject: cluster,
    time,
    data: {
      cluster,
      ...identity,
      ...(apis !== null && { apis }),
      ...(missing.length > 0 && { notRecorded: [...missing] }),
    },
  });
}

/**
 * The event about the beginning of an epoch. The event is the same at each call, so that it can be appended again after
 * a crash.
 */
export function restoredEvent(cluster: string, value: Epoch): ClusterRestored {
  const { epoch, from, to, until } = value;
  return withDigest<ClusterRestored>({
    id: `${cluster}/restored/${epoch}/${from}/${to}`,
    type: 'cluster.restored',
    source: cluster,
    subject: cluster,
    time: until,
    data: { cluster, ...value },
  });
}
