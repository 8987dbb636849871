import type { JobObserved } from '../../job/events.ts';
import type { PlacedJobFacts } from '../../placement/facts.ts';
import { placedJobFacts } from '../../placement/observe/compact.ts';
import { isSameInCheckedFields, whyCountedTwice, whyIncomplete } from './home-status.ts';
import type { GrantProgress, StatusWrite, Decided } from './recorded-grants.ts';

/** Checks a status that the server shows: the command has written it, even when the answer was lost. */
export function foldShownStatus(
  progress: GrantProgress,
  { time, data: { cluster, object } }: JobObserved,
): void {
  const job = placedJobFacts(cluster, object);
  /** True when a status write of a decision gave the status that the server shows. */
  const isShown = ({ generation, to }: StatusWrite): boolean =>
    generation === job.generation && isSameInCheckedFields(to, job.status);
  const of = progress.recent.find(({ writes }) => writes.some(isShown));
  const write = of?.writes.find(isShown);
  if (of !== undefined && write !== undefined)
    checkStatusWrite(progress, of, write, { job, at: Date.parse(time) });
}

/** Checks that a status that was written in the home agrees with the facts about the members. */
export function checkStatusWrite(
  progress: GrantProgress,
  { grants }: Decided,
  write: StatusWrite,
  { job, at }: { job: PlacedJobFacts; at: number },
): void {
  const incomplete = write.completes ? whyIncomplete(job) : null;
  if (incomplete !== null) progress.wrong.push({ type: 'incomplete', at, message: incomplete });
  // The completion of the Job is checked once, however many commands write it.
  if (write.completes)
    for (const each of progress.recent.flatMap(({ writes }) => writes)) each.completes = false;
  const isSpread = grants.some(({ tenures }) => tenures !== null);
  // Each later status has the same excess.
  const isKnown = progress.wrong.some(({ type }) => type === 'counted-twice');
  if (!isSpread || !progress.isWhole || isKnown) return;
  const twice = whyCountedTwice(job, [...progress.failed.values()]);
  if (twice !== null) progress.wrong.push({ type: 'counted-twice', at, message: twice });
}
