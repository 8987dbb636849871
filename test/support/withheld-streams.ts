import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aWorld, work } from '../cron-job/world.ts';
import { aJob, jobObserved } from '../projector/builders.ts';
import { aPlacedJobStream } from '../projector/placed-job-stream.ts';
import { aRecorder } from '../history/a-stream.ts';
import { at } from './builders.ts';

/** What the planted decisions break. */
export const BROKEN = [
  { invariant: 'creation-beyond-parallelism', message: '2 pods would be created' },
] as const;

/** The stream of a Job whose last decision is withheld: no decision of the core is, so it is planted. */
export function aWithheldJob(): LedgerEvent[] {
  const recorder = aRecorder();
  recorder.append(jobObserved(1, aJob({ version: 5, spec: { managedBy: 'jobledger.dev/job-controller' } })));
  recorder.decide(2);
  return withWithheld(recorder.stream);
}

export function aWithheldCronJob(): LedgerEvent[] {
  const world = aWorld({ schedule: '0 0 1 1 *' }, '2026-03-01T12:00:00Z');
  work(world);
  return withWithheld(world.stream);
}

export function aWithheldPlacedJob(): LedgerEvent[] {
  return withWithheld(aPlacedJobStream().events);
}

/** The stream, and a withheld decision that follows its last one. */
export function withWithheld(stream: readonly LedgerEvent[]): LedgerEvent[] {
  const last = stream.findLast(({ type }) => type.endsWith('.decided'));
  if (last === undefined) throw new Error('the stream has no decision');
  const { number, now } = last.data as unknown as { number: number; now: number };
  const data = {
    ...last.data,
    number: number + 1,
    predecessor: last.id,
    now: now + 1000,
    folded: [],
    commands: [],
    waiting: { rule: 'J-18.1', message: 'nothing is created: 2 pods would be created' },
    broken: [...BROKEN],
  };
  const id = `${last.id}/next/${computeDigest(data)}`;
  const { type, source, subject } = last;
  const decided = { id, type, source, subject, time: at(3), data } as unknown as LedgerEvent;
  return [...stream, withDigest(decided)];
}
