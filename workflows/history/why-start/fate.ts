import type { ChildObserved } from '../../cron-job/events.ts';
import { childFacts } from '../../cron-job/observe/compact.ts';
import { commandCauseId } from '../why/cause-id.ts';
import type { WhyAnswer } from '../why/types.ts';
import type { StartRecord } from './start-record.ts';

/** The end of the Job of a start, and the reason why the Job was deleted. */
export function childFate({ events, effective }: StartRecord, name: string): WhyAnswer[] {
  const observed = events.filter(
    (event): event is ChildObserved =>
      event.type === 'job.observed' && event.data.object.metadata.name === name,
  );
  const end = observed.find(({ data }) => childFacts(data.object, data.cronJobUid).finished !== undefined);
  const finished = end === undefined ? undefined : childFacts(end.data.object, end.data.cronJobUid).finished;
  const deletions = effective.flatMap((decision) =>
    decision.data.commands.flatMap((each, at) =>
      (each.kind === 'ReplaceJobs' || each.kind === 'DeleteJobs') &&
      each.jobs.some((job) => job.name === name)
        ? [{ message: each.why.message, because: [commandCauseId(decision.id, at)] }]
        : [],
    ),
  );
  const deletion = deletions.at(-1);
  return [
    ...(end === undefined || finished === undefined
      ? []
      : [{ question: 'how its Job ended', message: finished, because: [end.id] }]),
    ...(deletion === undefined ? [] : [{ question: 'why its Job was deleted', ...deletion }]),
  ];
}
