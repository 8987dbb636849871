import type { JobEvent } from '../../job/events.ts';
import { isOfKind } from '../../ledger-event.ts';
import { isRefused, refusal, type Refused } from '../refused.ts';
import { whyPlacedJob } from '../why-placed/why-placed-job.ts';
import { findBreak } from '../verify/break-in.ts';
import { parseCauseId } from './cause-id.ts';
import { findCause } from './causes.ts';
import { aboutDecision } from './about-decision.ts';
import { aboutIndex } from './about-index.ts';
import { aboutJob } from './about-job.ts';
import { aboutPod } from './about-pod.ts';
import { originsIn, type Origins } from './origins.ts';
import { indexStream, type StreamIndex } from './stream-index.ts';
import type { Cause, Question, PartialAnswer, Why } from './types.ts';
import { waitsIn } from './waits.ts';

/**
 * Explains the events of a Job and the absence of events: the chain of causes goes from a fact to its command with
 * the rule, on to the facts behind the command, and so on to the roots. `events` are the events of the Job in ledger
 * order, with gaps of its cluster among them in any position.
 */
export function why(events: readonly JobEvent[], question: Question): Why | Refused {
  const broken = findBreak(events.filter((event) => 'jobUid' in event.data));
  if (broken !== null) return broken;
  if (events.some((event) => isOfKind('PlacedJob', event))) return whyPlacedJob(events, question);
  const stream = indexStream(events);
  const [first] = stream.events;
  if (first === undefined) return refusal('unknown', 'the ledger holds no event of the Job');
  const origins = originsIn(stream);
  const answer = answerTo(stream, origins, question);
  if (isRefused(answer)) return answer;
  const gaps = events.filter((event) => event.type === 'cluster.gap');
  const waits = waitsIn(stream, gaps).filter(answer.concerns);
  const roots = [...answer.answers, ...waits].flatMap(({ because }) => because);
  return {
    job: `${first.data.cluster}/${nameIn(stream.events)}`,
    about: answer.about,
    answers: answer.answers,
    causes: causesFrom(stream, origins, roots),
    waits,
  };
}

/** The answer to a question, without its causes and waits. */
function answerTo(stream: StreamIndex, origins: Origins, question: Question): PartialAnswer | Refused {
  switch (question.about) {
    case 'job':
      return aboutJob(stream, origins);
    case 'pod':
      return aboutPod(stream, origins, question.pod);
    case 'index':
      return aboutIndex(stream, origins, question.index);
    case 'decision':
      return aboutDecision(stream, question.number);
  }
}

/** The name of the Job; some events of a deleted Job do not contain this name. */
function nameIn(events: readonly JobEvent[]): string {
  return events.find(({ subject }) => !subject.endsWith('/'))?.subject ?? '';
}

/** All causes that can be reached from these ids, with the latest cause first: a cause follows its effects. */
function causesFrom(stream: StreamIndex, origins: Origins, roots: readonly string[]): Cause[] {
  const causes = new Map<string, Cause>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (causes.has(id)) continue;
    const cause = findCause(stream, origins, id);
    if (cause === null) continue;
    causes.set(id, cause);
    open.push(...cause.because);
  }
  // A submission or an audited request may be recorded after the first observation of its effect.
  const place = new Map(stream.events.map(({ id, type }, at) => [id, isRecordedLater(type) ? -1 : at]));
  /** The position in the stream of the event of a cause. */
  const causePlace = ({ id }: Cause): number => place.get(parseCauseId(id).event) ?? -1;
  return [...causes.values()].toSorted((a, b) => causePlace(b) - causePlace(a) || (a.id < b.id ? -1 : 1));
}

/** True for an event that may be recorded after the first observation of its effect. */
function isRecordedLater(type: JobEvent['type']): boolean {
  return type === 'job.submitted' || type === 'api-request.audited';
}
