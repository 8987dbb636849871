import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '../../services/adapters/kubernetes/watch.ts';
import { JOB_NAME_LABEL } from '../../workflows/kubernetes/names.ts';
import { type Outage, startOutage } from './outages.ts';

/** The fault of one event of a watch. `at`: how many events pass before it. */
export type WatchFault =
  | { kind: 'lose' | 'repeat' | 'cut'; at: number }
  | { kind: 'delay'; at: number; ms: number };

/** Streams of watch events with faults, as a broken proxy may cause them. The order of events never changes. */
export interface FaultyWatches {
  /** Adds faults; their counts begin now. */
  arm(faults: readonly WatchFault[]): void;
  /** From now on all events pass. */
  disarm(): void;
  /**
   * Passes the lines of one watch on, each with its newline. Ends with half a line when the stream is cut; the reader
   * then breaks the connection.
   */
  through(lines: AsyncIterable<string>): AsyncGenerator<string, 'ended' | 'cut'>;
  /** A list of this collection was answered: it shows the changes that were lost before `since`. */
  listed(path: string, since: number): void;
  /** Versions that were lost and not sent later either, as `<uid>/<resourceVersion>`. */
  lost: ReadonlySet<string>;
  /** The times when events were delayed, and when a Job was out of date because an event was lost. */
  outages: readonly Outage[];
  counts: Readonly<Record<WatchFault['kind'], number>>;
}

interface RawEvent {
  type: string;
  object: ApiObject & { kind?: string; metadata: { labels?: Record<string, string> } };
}

/** A Job is out of date since one of its events was lost. */
interface Loss {
  uid: string;
  isJob: boolean;
  outage: Outage;
}

export function createFaultyWatches(): FaultyWatches {
  const armed: WatchFault[] = [];
  const lost = new Set<string>();
  const outages: Outage[] = [];
  const counts = { lose: 0, repeat: 0, delay: 0, cut: 0 };
  let losses: Loss[] = [];
  let passed = 0;

  const nextFault = (): WatchFault | undefined => {
    const due = armed.find(({ at }) => at <= passed);
    passed += 1;
    if (due === undefined) return undefined;
    armed.splice(armed.indexOf(due), 1);
    counts[due.kind] += 1;
    return due;
  };
  const lose = ({ object }: RawEvent): void => {
    const { uid, resourceVersion, name, labels } = object.metadata;
    lost.add(`${uid}/${resourceVersion}`);
    const isJob = object.kind === 'Job';
    const job = isJob ? name : labels?.[JOB_NAME_LABEL];
    const outage = { from: Date.now(), to: Infinity, ...(job !== undefined && { job }) };
    outages.push(outage);
    losses.push({ uid, isJob, outage });
  };
  const madeGood = (isGood: (loss: Loss) => boolean): void => {
    for (const { outage } of losses.filter(isGood)) outage.to = Date.now();
    losses = losses.filter((loss) => !isGood(loss));
  };
  const sent = ({ object: { metadata } }: RawEvent): void => {
    lost.delete(`${metadata.uid}/${metadata.resourceVersion}`);
    madeGood(({ uid }) => uid === metadata.uid);
  };
  return {
    arm: (faults) => void armed.push(...faults.map((fault) => ({ ...fault, at: fault.at + passed }))),
    disarm: () => void armed.splice(0),
    async *through(lines) {
      for await (const line of lines) {
        const event = JSON.parse(line) as RawEvent;
        const isChange = ['ADDED', 'MODIFIED', 'DELETED'].includes(event.type);
        const fault = isChange ? nextFault() : undefined;
        if (fault?.kind === 'lose') {
          lose(event);
          continue;
        }
        if (fault?.kind === 'cut') {
          yield line.slice(0, line.length / 2);
          return 'cut';
        }
        if (fault?.kind === 'delay') {
          outages.push(startOutage(fault.ms));
          await delay(fault.ms);
        }
        yield `${line}\n`;
        if (isChange) sent(event);
        if (fault?.kind === 'repeat') yield `${line}\n`;
      }
      return 'ended';
    },
    listed: (path, since) =>
      madeGood(({ isJob, outage }) => isJob === path.endsWith('/jobs') && outage.from < since),
    lost,
    outages,
    counts,
  };
}
