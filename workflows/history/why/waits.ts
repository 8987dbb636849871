import type { Outcome } from '../../job/outcomes.ts';
import { isFinished } from '../../batch/conditions.ts';
import { activeDeadline } from '../../job/decide/policies/deadline.ts';
import type { ClusterGap } from '../../ledger/cluster-events.ts';
import type { OutcomeRecorded, JobDecided } from '../../job/events.ts';
import { isoTime } from '../../ledger/instants.ts';
import { replacesFailedOnly } from '../../job/definitions/pod-replacement.ts';
import { replay } from '../../job/record/replay.ts';
import { countPods, podCountText } from '../pod-counts.ts';
import { decidedWaits } from './decided-waits.ts';
import type { StreamIndex } from './stream-index.ts';
import type { Wait } from './types.ts';

/** Every period in which something was not done or not observed, ordered by its start. */
export function waitsIn(stream: StreamIndex, gaps: readonly ClusterGap[]): Wait[] {
  return [
    ...decidedWaits(stream.effective),
    ...suspensions(stream),
    ...waitsForRequests(stream),
    ...waitsForTime(stream),
    ...gapsDuring(stream, gaps),
  ].toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
}

/** The periods in which the Job was suspended. */
export function suspensions({ events }: Pick<StreamIndex, 'events'>): Wait[] {
  const waits: Wait[] = [];
  let open: Wait | null = null;
  for (const event of events) {
    if (event.type === 'job.deleted' && open !== null) open.until = event.time;
    if (event.type !== 'job.observed') continue;
    const { spec, status = {} } = event.data.object;
    const isSuspended = spec.suspend === true && !isFinished(status);
    if (isSuspended && open === null) {
      open = {
        since: event.time,
        until: null,
        message: 'no pods: the Job is suspended',
        rule: 'J-6.41',
        because: [event.id],
      };
      waits.push(open);
    }
    if (!isSuspended && open !== null) [open.until, open] = [event.time, null];
  }
  return waits;
}

/**
 * The waits for refused requests of users. No decision records such a wait, because the Job goes on and only the user
 * can repeat the request.
 */
function waitsForRequests({ events, effective }: StreamIndex): Wait[] {
  return events.flatMap((event) => {
    if (event.type !== 'outcome.recorded' || event.data.outcome.kind !== 'SetSuspend') return [];
    const failure = failureIn(event.data.outcome);
    if (failure === null) return [];
    const again = effective.find(
      ({ data }) =>
        data.now >= event.data.outcome.at && data.commands.some(({ kind }) => kind === 'SetSuspend'),
    );
    const message = `SetSuspend was refused: ${failure}`;
    return [refusalWait(event, message, again)];
  });
}

/** The wait for a request that the API server refused. */
function refusalWait({ id, time }: OutcomeRecorded, message: string, again: JobDecided | undefined): Wait {
  return {
    since: time,
    until: again === undefined ? null : isoTime(again.data.now),
    message,
    rule: 'J-3.2',
    because: [id],
  };
}

/** The error in an outcome as text; null for another outcome. */
function failureIn(outcome: Outcome): string | null {
  return 'error' in outcome ? `${outcome.error.status} ${outcome.error.message}` : null;
}

/** The deadline of an unfinished Job, with the answer whether the Job has all pods that `parallelism` allows. */
function waitsForTime({ events, effective, core }: StreamIndex): Wait[] {
  const state = replay(events, core);
  const { job, jobGone } = state;
  const last = effective.at(-1);
  if (job === null || jobGone || isFinished(job.status) || last === undefined) return [];
  const { suspend = false, activeDeadlineSeconds, parallelism = 1, completions } = job.spec;
  const { startTime, succeeded = 0 } = job.status;
  const deadline = activeDeadline({ job, activeSince: suspend ? null : (startTime ?? null) });
  const counts = countPods(state);
  // A terminating pod still occupies its place when only failed pods are replaced (J-5.13).
  const places = counts.active + (replacesFailedOnly(job.spec) ? counts.terminating : 0);
  const isFull = places >= parallelism && (completions ?? 0) - succeeded > places;
  return [
    ...(deadline === null
      ? []
      : [
          {
            since: isoTime(Date.parse(startTime ?? '')),
            until: null,
            message: `ends at ${isoTime(deadline)} unless it has by then: activeDeadlineSeconds is ${activeDeadlineSeconds}`,
            rule: 'J-6.5',
            because: [],
          },
        ]),
    ...(isFull
      ? [
          {
            since: isoTime(last.data.now),
            until: null,
            message: `no further pod: ${podCountText(counts)}, parallelism is ${parallelism}`,
            rule: 'J-5.11',
            because: [],
          },
        ]
      : []),
  ];
}

/** Gaps between the first event of the Job and its deletion. */
export function gapsDuring({ events }: Pick<StreamIndex, 'events'>, gaps: readonly ClusterGap[]): Wait[] {
  const from = Date.parse(events[0]?.time ?? '');
  const gone = events.find(({ type }) => type === 'job.deleted');
  const to = gone === undefined ? Infinity : Date.parse(gone.time);
  return gaps
    .filter(({ data }) => Date.parse(data.until) >= from && Date.parse(data.since) <= to)
    .map(({ data: { cluster, resource, since, until, reason } }) => ({
      since,
      until,
      message: `events of ${resource} of cluster ${cluster} may be missing between ${since} and ${until}: ${reason}`,
      rule: null,
      because: [],
    }));
}
