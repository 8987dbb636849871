import type { Settings } from '../../../workflows/job/settings.ts';
import type { Kind, KindName } from '../../../workflows/kind.ts';
import { KINDS, streamId } from '../../../workflows/kinds.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { scanLiveTopic, type LiveRecord } from '../../live-topic/live-topic.ts';
import { createPartitioner } from '../../adapters/kafka/create-partitioner.ts';
import { readEnds, offsetsAt } from '../../adapters/kafka/scan.ts';
import { kindInLiveTopic, kindsInLiveTopic, kindsOfDeleted } from '../placement.ts';
import type { LivePartition } from './assignment.ts';

/** Reads from the live topic which Jobs of some partitions are alive and which are gone. */
export type ReadLiveJobs = (partitions: ReadonlySet<number>) => Promise<ReadonlyMap<number, LivePartition>>;

/** `kinds` lists the kinds of objects that this installation controls. */
export function createReadLiveJobs(
  kafka: KafkaConnection,
  settings: Settings,
  kinds: readonly KindName[],
): ReadLiveJobs {
  const choosePartition = createPartitioner(kafka);
  const kindsByResource = new Map<string, Kind>(
    kindsInLiveTopic(kinds).map((name) => [KINDS[name].resource, KINDS[name]]),
  );
  return async (partitions) => {
    // End offsets are read before the live topic: records appended in between are read from the ledger anyway.
    const ends = await readEnds(kafka, kafka.topics.ledger);
    const live = new Map<number, LivePartition>(
      [...partitions].map((each) => [each, { jobs: new Map(), gone: new Set(), end: ends.get(each) ?? 0n }]),
    );
    const partitionOf = (jobKey: string): LivePartition | undefined => live.get(choosePartition(jobKey));
    const jobsOfPods = new Map<string, string[]>();
    await scanLiveTopic(kafka, (record, key) => {
      const { cluster } = record;
      const kind = kindsByResource.get(record.kind);
      if (kind !== undefined)
        setLiveJob(
          partitionOf(`${cluster}/${record.key}`),
          kindInLiveTopic(kind, (record.value as LiveJob | null)?.managedBy, kinds),
          record,
          settings,
        );
      if (record.kind !== 'pods') return;
      const { jobs = [] } = (record.value ?? {}) as Partial<LivePod>;
      const ours = jobs
        .map((uid) => `${cluster}/${uid}`)
        .filter((jobKey) => partitionOf(jobKey) !== undefined);
      if (ours.length > 0) jobsOfPods.set(key, ours);
      else jobsOfPods.delete(key);
    });
    // A deleted Job with remaining pods still needs a workflow, which releases these pods.
    for (const jobKeys of jobsOfPods.values())
      for (const jobKey of jobKeys) partitionOf(jobKey)?.gone.delete(jobKey);
    return live;
  };
}

/**
 * The longest delay from the ledger to the live topic, in milliseconds, including the difference between two machines'
 * clocks. A killed ingester may leave the live topic incomplete; the next ingester appends the missing events to the
 * ledger again.
 */
const WRITTEN_WITHIN_MS = 600_000;

/** The offset of the ledger up to which the live topic is complete, by partition. */
export function writtenUpTo(kafka: KafkaConnection): Promise<ReadonlyMap<number, bigint>> {
  return offsetsAt(kafka, kafka.topics.ledger, Date.now() - WRITTEN_WITHIN_MS);
}

/** Adds the object of a live record to its partition, or marks the object as gone. */
function setLiveJob(
  partition: LivePartition | undefined,
  kind: Kind,
  { cluster, key: uid, value }: LiveRecord,
  settings: Settings,
): void {
  if (partition === undefined) return;
  const { jobs, gone } = partition;
  if (value === null) {
    for (const each of kindsOfDeleted(kind)) {
      const id = streamId({ cluster, uid, kind: each.name });
      jobs.delete(id);
      gone.add(id);
    }
    return;
  }
  const { namespace, name, managedBy, expires, end } = value as LiveJob;
  const ref = { cluster, uid, namespace, name, kind: kind.name };
  gone.delete(streamId(ref));
  jobs.set(streamId(ref), {
    ref,
    isOurs: kind.isOurs(settings, managedBy),
    expires: expires === true,
    isFinished: end !== undefined,
    wasThere: true,
  });
}

/** The fields of the ingester's live records that the dispatcher reads. */
interface LiveJob {
  namespace: string;
  name: string;
  managedBy?: string;
  expires?: true;
  /** The end of the Job; absent before the Job has finished. */
  end?: object;
}

interface LivePod {
  /** UIDs. */
  jobs: string[];
}
