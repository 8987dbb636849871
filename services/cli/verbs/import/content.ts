import type { JobEvent } from '../../../../workflows/job/events.ts';
import { decodeEvent, NewerRecordError, UnreadableRecordError } from '../../../adapters/event-codec.ts';
import { InputError } from '../../../adapters/errors.ts';
import type { InputLine } from './lines.ts';

/** What a file holds: enough to tell what of it a ledger lacks, and what contradicts that ledger. */
export interface Content {
  add(event: JobEvent): void;
  /** Digests of the records with this id, in no order. */
  digests(id: string): readonly string[];
  clusters(): ReadonlyMap<string, ClusterContent>;
  jobs(): number;
}

export interface ClusterContent {
  /** What it was connected as; empty when it was only named. */
  uids: Set<string>;
  /** Events that differ in id or digest. */
  events: number;
}

export function createContent(): Content {
  const digests = new Map<string, string[]>();
  const clusters = new Map<string, ClusterContent>();
  const jobs = new Set<string>();
  return {
    add(event) {
      const { id, digest, data } = event;
      const cluster = clusters.get(data.cluster) ?? { uids: new Set(), events: 0 };
      clusters.set(data.cluster, cluster);
      if (event.type === 'cluster.connected') cluster.uids.add(event.data.uid);
      if ('jobUid' in data) jobs.add(`${data.cluster}/${data.jobUid}`);
      const known = digests.get(id) ?? [];
      if (known.includes(digest)) return;
      digests.set(id, [...known, digest]);
      cluster.events += 1;
    },
    digests: (id) => digests.get(id) ?? [],
    clusters: () => clusters,
    jobs: () => jobs.size,
  };
}

/** So many broken lines are told. */
const TOLD = 20;

/** The content of a file. @throws InputError naming every line that holds no event, or one that this version cannot read. */
export async function contentOf(lines: AsyncIterable<InputLine>): Promise<Content> {
  const content = createContent();
  const problems: string[] = [];
  for await (const { number, text } of lines) {
    try {
      content.add(decodeEvent(text));
    } catch (error) {
      if (!(error instanceof UnreadableRecordError || error instanceof NewerRecordError)) throw error;
      problems.push(`line ${number}: ${error.message}`);
    }
  }
  if (problems.length === 0) return content;
  const more = problems.length > TOLD ? [`and ${problems.length - TOLD} more`] : [];
  throw new InputError(`nothing was imported:\n  ${[...problems.slice(0, TOLD), ...more].join('\n  ')}`);
}
