import { apiTime, isoTime } from '../../job/definitions/instants.ts';
import { commandCauseId, waitingCauseId } from '../why/cause-id.ts';
import type { WhyAnswer } from '../why/types.ts';
import { startAfter, type StartAttempt } from './attempts.ts';
import { noTime } from './no-time.ts';
import type { StartRecord } from './start-record.ts';

/** Why no Job was created for a time of the schedule; `last`: the last attempt to create it. */
export function whyNone(record: StartRecord, scheduledAt: number, last: StartAttempt | undefined): WhyAnswer {
  const question = 'why no Job was created';
  const none = last === undefined ? noTime(record, scheduledAt) : null;
  if (none !== null) return { question, words: none, because: [] };
  const { standing } = record;
  const next = startAfter(record, scheduledAt);
  const end = next?.data.now ?? Infinity;
  const inForce = standing.findLast(({ data }) => data.now < scheduledAt);
  const later = standing.filter(({ data }) => data.now >= scheduledAt && data.now < end);
  const reasons = [...(last === undefined ? [inForce ?? []].flat() : []), ...later].filter(
    ({ data }) => data.waiting !== null && data.waiting.rule !== 'J-9.45',
  );
  const instead =
    next === null
      ? []
      : [`the Job of a later start was created at ${isoTime(next.data.now)} instead: ${wordsOf(next)}`];
  const taken = last?.result === 'taken' ? [`a Job of another controller has the name of its Job`] : [];
  const words = [...taken, ...new Set(reasons.map(({ data }) => data.waiting?.words ?? '')), ...instead];
  return {
    question,
    words: words.length > 0 ? words.join('; then ') : `nothing was decided after ${apiTime(scheduledAt)}`,
    because: [
      ...reasons.map(({ id }) => waitingCauseId(id)),
      ...(next === null
        ? []
        : [
            commandCauseId(
              next.id,
              next.data.commands.findIndex(({ kind }) => kind === 'CreateJob'),
            ),
          ]),
    ],
  };
}

function wordsOf({ data }: StartRecord['standing'][number]): string {
  return data.commands.find(({ kind }) => kind === 'CreateJob')?.why.words ?? '';
}
