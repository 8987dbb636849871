import type { ApiRequestAudited, JobEvent, JobObserved } from '../../job/events.ts';
import { senderText } from '../timeline/api-request-line.ts';
import { shownDeletion } from './gone.ts';
import type { Origins } from './origins.ts';
import type { StreamIndex } from './stream-index.ts';
import type { WhyAnswer } from './types.ts';

/**
 * The users who created, suspended and deleted the Job, according to the audit log of its cluster; empty without a
 * request about the Job.
 */
export function whoAnswers(
  stream: Pick<StreamIndex, 'events' | 'event'>,
  origins: Pick<Origins, 'of'>,
): WhyAnswer[] {
  const { events } = stream;
  if (!events.some(({ type }) => type === 'api-request.audited')) return [];
  const created = events.find(({ type }) => type === 'job.observed');
  const deleted = shownDeletion(events);
  return [
    ...whoAnswer('who created it', stream, origins, created),
    ...whoAnswer('who suspended it', stream, origins, suspensionIn(events)),
    ...whoAnswer('who deleted it', stream, origins, deleted),
  ];
}

/** The observation since which the Job is suspended; undefined when it is not suspended. */
export function suspensionIn(events: readonly JobEvent[]): JobObserved | undefined {
  const seen = events.filter((event) => event.type === 'job.observed');
  const running = seen.findLastIndex(({ data }) => data.object.spec.suspend !== true);
  return seen[running + 1];
}

/**
 * The answer that names the user of the request behind an observation; empty when Jobledger sent the request, because
 * the chain of causes then shows the reason.
 */
function whoAnswer(
  question: string,
  stream: Pick<StreamIndex, 'event'>,
  origins: Pick<Origins, 'of'>,
  seen: JobEvent | undefined,
): WhyAnswer[] {
  if (seen === undefined) return [];
  const causes = origins.of(seen);
  const request = causes
    .map((id) => stream.event(id))
    .find((event): event is ApiRequestAudited => event?.type === 'api-request.audited');
  if (request !== undefined) {
    const message = senderText(request.data).replace(/^by /, '');
    return [{ question, message, because: [request.id] }];
  }
  return causes.length > 0 ? [] : [{ question, message: 'not recorded', because: [seen.id] }];
}
