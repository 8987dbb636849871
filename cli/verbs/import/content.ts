import type { ClusterConnected } from '../../../workflows/ledger/cluster-events.ts';
import { computeDigest } from '../../../workflows/ledger/digest.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { decodeRecord } from '../../../services/adapters/events/event-codec.ts';
import {
  NewerRecordError,
  UnreadableRecordError,
} from '../../../services/adapters/events/unreadable-record.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import { createEventIndex, type EventIndex } from './event-index.ts';
import type { InputLine } from '../../ledger/lines.ts';

/** A summary of a file, which is enough to find the events that a ledger lacks or contradicts. */
export interface Content {
  /** `ofForm` is the feature level of the form in which the event is recorded. */
  add(event: LedgerEvent, ofForm: number): void;
  /** An index of the events, in which the comparison marks the events that the ledger has. */
  index: EventIndex;
  clusters(): ReadonlyMap<string, ClusterContent>;
  jobs(): number;
  cronJobs(): number;
  /** The lowest feature level at which all events of the file may be written unchanged. */
  level(): number;
}

export interface ClusterContent {
  /** The uids under which the cluster was connected; empty if only its name occurs. */
  uids: Set<string>;
  /** The namespace of each uid, unless it is the uid of kube-system. */
  namespaces: Map<string, string>;
  /** The number of events, in which an event with the same id and digest counts once. */
  events: number;
}

/** Creates the empty summary of a file. */
export function createContent(): Content {
  const index = createEventIndex();
  const clusters = new Map<string, ClusterContent>();
  const [jobs, cronJobs] = [new Set<string>(), new Set<string>()];
  let level = 1;
  return {
    add(event, ofForm) {
      const { id, digest, data } = event;
      const cluster = clusters.get(data.cluster) ?? { uids: new Set(), namespaces: new Map(), events: 0 };
      clusters.set(data.cluster, cluster);
      if (event.type === 'cluster.connected') noteIdentity(cluster, event.data);
      if ('jobUid' in data) jobs.add(`${data.cluster}/${data.jobUid}`);
      if ('cronJobUid' in data) cronJobs.add(`${data.cluster}/${data.cronJobUid}`);
      level = Math.max(level, ofForm);
      if (index.add(id, digest)) cluster.events += 1;
    },
    index,
    clusters: () => clusters,
    jobs: () => jobs.size,
    cronJobs: () => cronJobs.size,
    level: () => level,
  };
}

/** Adds the identity of a connected cluster to its summary. */
function noteIdentity(cluster: ClusterContent, { uid, namespace }: ClusterConnected['data']): void {
  cluster.uids.add(uid);
  if (namespace !== undefined) cluster.namespaces.set(uid, namespace);
}

/** The largest number of reported lines. */
const MOST_REPORTED = 20;

/**
 * Reads the content of a file. @throws InputError that names every line without a readable event, and every line whose content does not have its
 * digest.
 */
export async function readContent(
  lines: AsyncIterable<InputLine>,
  isLeftOut: (event: LedgerEvent) => boolean = () => false,
): Promise<Content> {
  const content = createContent();
  const problems: string[] = [];
  for await (const { number, text } of lines) {
    try {
      const { event, level } = decodeRecord(text);
      const digest = computeDigest(event.recorded ?? event.data);
      if (digest !== event.digest)
        problems.push(
          `line ${number}: ${event.id} was changed after it was recorded: its digest is ${event.digest}, but its content has the digest ${digest}`,
        );
      else if (!isLeftOut(event)) content.add(event, level);
    } catch (error) {
      if (!(error instanceof UnreadableRecordError || error instanceof NewerRecordError)) throw error;
      problems.push(`line ${number}: ${error.message}`);
    }
  }
  if (problems.length === 0) return content;
  const more = problems.length > MOST_REPORTED ? [`and ${problems.length - MOST_REPORTED} more`] : [];
  throw new InputError(
    `nothing was imported:\n  ${[...problems.slice(0, MOST_REPORTED), ...more].join('\n  ')}`,
  );
}
