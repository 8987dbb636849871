import type { JobDecided, JobEvent } from '../../job/events.ts';
import { isFinished } from '../../batch/conditions.ts';
import { endAmong, endingAmong } from '../../job/definitions/ending-writes.ts';
import { replay } from '../../job/record/replay.ts';
import type { JobState } from '../../job/state.ts';
import { fewText } from '../timeline/few.ts';
import { countPods, podCountText } from '../pod-counts.ts';
import { commandCauseId, waitingCauseId } from './cause-id.ts';
import { firstWithSameWait } from './decided-waits.ts';
import { endAnswers, type EndingWrite } from './end-answers.ts';
import { findJobDeletion, goneMessage } from './gone.ts';
import type { Origins } from './origins.ts';
import type { StreamIndex } from './stream-index.ts';
import type { WhyAnswer, PartialAnswer } from './types.ts';
import { reportAnswers } from './reports.ts';
import { suspensionIn, whoAnswers } from './who.ts';

/** The end of a Job with its reason, or its reason to wait, and its deletion. */
export function aboutJob(stream: StreamIndex, origins: Origins): PartialAnswer {
  const { events, effective, core } = stream;
  const state = replay(events, core);
  const gone = findJobDeletion(events);
  const ended = endAnswers(firstWrite(effective, endingAmong), firstWrite(effective, endAmong));
  const isOver = ended.length > 0 || state.jobGone || (state.job !== null && isFinished(state.job.status));
  return {
    about: `Job ${state.job?.name ?? ''}`.trim(),
    answers: [
      ...ended,
      ...(ended.length === 0 && isOver ? finishedByOthers(stream, state) : []),
      ...(isOver ? [] : [openAnswer(stream, state), ...reportAnswers(stream)]),
      ...(gone === null
        ? []
        : [
            {
              question: 'why it is gone',
              message: gone.isLost ? goneMessage(gone) : stream.line(gone.event).message,
              because: [gone.event.id],
            },
          ]),
      ...whoAnswers(stream, origins),
    ],
    concerns: () => true,
  };
}

/** The first status write of a decision that shows a condition of the end; null without such a write. */
function firstWrite(effective: readonly JobDecided[], find: typeof endAmong): EndingWrite | null {
  for (const decision of effective) {
    const found = find(decision.data.commands);
    if (found !== null)
      return { decision, command: commandCauseId(decision.id, found.at), condition: found.condition };
  }
  return null;
}

/** The answer about a Job that another client finished; empty when Jobledger finished it. */
function finishedByOthers(stream: StreamIndex, state: JobState): WhyAnswer[] {
  const seen = stream.events.find(
    (event) => event.type === 'job.observed' && isFinished(event.data.object.status ?? {}),
  );
  if (seen === undefined) return [];
  const by = state.job?.spec.managedBy ?? "the cluster's own Job controller";
  return [{ question: 'why it ended', message: `${by} controls it, not Jobledger`, because: [seen.id] }];
}

/** The answer about a Job that has not ended: the reason why it waits, or why no decision was made. */
function openAnswer({ events, effective }: StreamIndex, state: JobState): WhyAnswer {
  const last = effective.at(-1);
  if (last === undefined) {
    const first = events.find(({ type }) => type === 'job.observed');
    return { question: 'why nothing was decided', message: whyUndecided(state), because: idOf(first) };
  }
  const { waiting } = last.data;
  const question = 'what it waits for';
  if (waiting !== null)
    return {
      question,
      message: waiting.message,
      because: [waitingCauseId(firstWithSameWait(effective, last).id)],
    };
  if (state.job?.spec.suspend === true) {
    const seen = suspensionIn(events);
    return { question, message: 'to be resumed: it is suspended', because: idOf(seen) };
  }
  const counts = countPods(state);
  const creation = effective.flatMap(({ id, data }) =>
    data.commands.flatMap(({ kind }, at) => (kind === 'CreatePods' ? [commandCauseId(id, at)] : [])),
  );
  return {
    question,
    message: counts.active + counts.terminating === 0 ? 'nothing' : `its pods: ${podCountText(counts)}`,
    because: creation.slice(-1),
  };
}

/** The reason why no decision was made about the Job. */
function whyUndecided({ job }: JobState): string {
  if (job === null) return 'the Job itself was never seen';
  return fewText([`${job.spec.managedBy ?? "the cluster's own Job controller"} controls it, not Jobledger`]);
}

/** The id of an event as a list; empty without an event. */
function idOf(event: JobEvent | undefined): string[] {
  return event === undefined ? [] : [event.id];
}
