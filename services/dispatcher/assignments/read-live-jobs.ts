import type { Settings } from '../../../workflows/job/settings.ts';
import type { Kind, KindName } from '../../../workflows/kind.ts';
import { KINDS, referenceTo } from '../../../workflows/kinds.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scanLiveTopic, type LiveRecord } from '../../contracts/live-topic.ts';
import { partitionerOf } from '../../adapters/kafka/partition-of.ts';
import { endsOf, offsetsAt } from '../../adapters/kafka/scan.ts';
import type { LivePartition } from './assignment.ts';

/** Reads from the live topic which Jobs of some partitions are alive and which are gone. */
export type ReadLiveJobs = (partitions: ReadonlySet<number>) => Promise<ReadonlyMap<number, LivePartition>>;

/** `kinds`: those whose objects have runs here. */
export function createReadLiveJobs(
  kafka: KafkaConnection,
  settings: Settings,
  kinds: readonly KindName[],
): ReadLiveJobs {
  const partitionOf = partitionerOf(kafka);
  const kindsByResource = new Map<string, Kind>(kinds.map((name) => [KINDS[name].resource, KINDS[name]]));
  return async (partitions) => {
    // End offsets are read before the live topic: what is appended in between is read from the ledger anyway.
    const ends = await endsOf(kafka, kafka.topics.ledger);
    const live = new Map<number, LivePartition>(
      [...partitions].map((each) => [each, { jobs: new Map(), gone: new Set(), end: ends.get(each) ?? 0n }]),
    );
    const of = (jobKey: string): LivePartition | undefined => live.get(partitionOf(jobKey));
    const jobsOfPods = new Map<string, string[]>();
    await scanLiveTopic(kafka, (record, key) => {
      const { cluster } = record;
      const kind = kindsByResource.get(record.kind);
      if (kind !== undefined) setLiveJob(of(`${cluster}/${record.key}`), kind, record, settings);
      if (record.kind !== 'pods') return;
      const { jobs = [] } = (record.value ?? {}) as Partial<LivePod>;
      const ours = jobs.map((uid) => `${cluster}/${uid}`).filter((jobKey) => of(jobKey) !== undefined);
      if (ours.length > 0) jobsOfPods.set(key, ours);
      else jobsOfPods.delete(key);
    });
    // A deleted Job with remaining pods still needs a workflow, which releases these pods.
    for (const jobKeys of jobsOfPods.values()) for (const jobKey of jobKeys) of(jobKey)?.gone.delete(jobKey);
    return live;
  };
}

/**
 * The live topic is written this much later than the ledger at most, in milliseconds, also between machines whose clocks differ.
 * A killed ingester may not have written all; the next one appends the rest to the ledger again.
 */
const WRITTEN_WITHIN_MS = 600_000;

/** The offsets of the ledger before which the live topic lacks nothing, by partition. */
export function writtenUpTo(kafka: KafkaConnection): Promise<ReadonlyMap<number, bigint>> {
  return offsetsAt(kafka, kafka.topics.ledger, Date.now() - WRITTEN_WITHIN_MS);
}

function setLiveJob(
  of: LivePartition | undefined,
  kind: Kind,
  { cluster, key: uid, value }: LiveRecord,
  settings: Settings,
): void {
  if (of === undefined) return;
  const { jobs, gone } = of;
  const jobKey = `${cluster}/${uid}`;
  if (value === null) {
    jobs.delete(jobKey);
    gone.add(jobKey);
    return;
  }
  const { namespace, name, managedBy, expires, end } = value as LiveJob;
  gone.delete(jobKey);
  jobs.set(jobKey, {
    ref: referenceTo(kind, { cluster, uid, namespace, name }),
    isOurs: kind.isOurs(settings, managedBy),
    expires: expires === true,
    isFinished: end !== undefined,
    wasThere: true,
  });
}

/** The parts of the ingester's live records that are read here. */
interface LiveJob {
  namespace: string;
  name: string;
  managedBy?: string;
  expires?: true;
  /** Present once the Job has finished. Versions before feature level 4 wrote none. */
  end?: object;
}

interface LivePod {
  /** UIDs. */
  jobs: string[];
}
