import type { JobEvent } from '../../job/events.ts';
import { isOfPlacedJob } from '../../ledger-event.ts';
import { isRefused, refusal, type Refused } from '../refused.ts';
import { whyPlacedJob } from '../why-placed/why-placed-job.ts';
import { breakIn } from '../verify/break-in.ts';
import { parseCauseId } from './cause-id.ts';
import { findCause } from './causes.ts';
import { aboutDecision } from './about-decision.ts';
import { aboutIndex } from './about-index.ts';
import { aboutJob } from './about-job.ts';
import { aboutPod } from './about-pod.ts';
import { originsIn, type Origins } from './origins.ts';
import { readRecorded, type Recorded } from './recorded.ts';
import type { Cause, Question, PartialAnswer, Why } from './types.ts';
import { waitsIn } from './waits.ts';

/**
 * Explains the events of a Job and their absence: the chain of causes, fact ← command with its rule ← fact …, to the
 * roots. `events` are those of the Job in ledger order, with gaps of its cluster anywhere among them.
 */
export function why(events: readonly JobEvent[], question: Question): Why | Refused {
  const broken = breakIn(events.filter((event) => 'jobUid' in event.data));
  if (broken !== null) return broken;
  if (events.some(isOfPlacedJob)) return whyPlacedJob(events, question);
  const recorded = readRecorded(events);
  const [first] = recorded.events;
  if (first === undefined) return refusal('unknown', 'the ledger holds no event of the Job');
  const origins = originsIn(recorded);
  const answer = answerTo(recorded, origins, question);
  if (isRefused(answer)) return answer;
  const gaps = events.filter((event) => event.type === 'cluster.gap');
  const waits = waitsIn(recorded, gaps).filter(answer.concerns);
  const roots = [...answer.answers, ...waits].flatMap(({ because }) => because);
  return {
    job: `${first.data.cluster}/${nameIn(recorded.events)}`,
    about: answer.about,
    answers: answer.answers,
    causes: causesFrom(recorded, origins, roots),
    waits,
  };
}

function answerTo(recorded: Recorded, origins: Origins, question: Question): PartialAnswer | Refused {
  switch (question.about) {
    case 'job':
      return aboutJob(recorded, origins);
    case 'pod':
      return aboutPod(recorded, origins, question.pod);
    case 'index':
      return aboutIndex(recorded, origins, question.index);
    case 'decision':
      return aboutDecision(recorded, question.number);
  }
}

/** The Job's name; some events of a deleted Job do not contain it. */
function nameIn(events: readonly JobEvent[]): string {
  return events.find(({ subject }) => !subject.endsWith('/'))?.subject ?? '';
}

/** All causes reachable from these ids, the latest first: a cause comes after its effects. */
function causesFrom(recorded: Recorded, origins: Origins, roots: readonly string[]): Cause[] {
  const causes = new Map<string, Cause>();
  const open = [...roots];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (causes.has(id)) continue;
    const cause = findCause(recorded, origins, id);
    if (cause === null) continue;
    causes.set(id, cause);
    open.push(...cause.because);
  }
  // A submission or an audited request may be recorded after the first observation of what came from it.
  const place = new Map(recorded.events.map(({ id, type }, at) => [id, isRecordedLater(type) ? -1 : at]));
  const causePlace = ({ id }: Cause): number => place.get(parseCauseId(id).event) ?? -1;
  return [...causes.values()].toSorted((a, b) => causePlace(b) - causePlace(a) || (a.id < b.id ? -1 : 1));
}

function isRecordedLater(type: JobEvent['type']): boolean {
  return type === 'job.submitted' || type === 'api-request.audited';
}
