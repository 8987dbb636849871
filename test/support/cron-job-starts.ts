import { translateCronJob } from '../../services/ingester/translate/translate-cron-job.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { CronJob, CronJobSpec, Job } from '../../workflows/kubernetes/objects.ts';
import { REDACTION } from './redaction.ts';

/** CronJobs that another controller starts, as the ingester records them. Instants in milliseconds. */
export interface CronJobStarts {
  /** A new version of a CronJob of `namespace`; default schedule: every ten minutes. */
  cronJob(name: string, spec?: Partial<CronJobSpec>): CronJob;
  observed(object: CronJob, at: number): LedgerEvent[];
  /** The Job of a start, which is created at an instant and ends at `end`, or still runs. */
  started(name: string, scheduledAt: number, created: number, end?: number): LedgerEvent[];
  nextVersion(): string;
}

export function createCronJobStarts({
  cluster,
  namespace = 'team-a',
  createdAt,
}: {
  cluster: string;
  namespace?: string;
  createdAt: number;
}): CronJobStarts {
  const scope = { cluster, claim: 'managed' as const, redaction: REDACTION };
  let version = 0;
  const nextVersion = (): string => String((version += 1));
  return {
    nextVersion,
    cronJob: (name, spec = {}) =>
      ({
        metadata: {
          name,
          namespace,
          uid: `uid-${name}`,
          resourceVersion: nextVersion(),
          creationTimestamp: toSeconds(createdAt),
        },
        spec: { schedule: '*/10 * * * *', jobTemplate: { spec: { template: { spec: {} } } }, ...spec },
      }) as CronJob,
    observed: (object, at) => translateCronJob(scope, object, new Date(at).toISOString()).events,
    started(name, scheduledAt, created, end) {
      const job = {
        metadata: {
          name: `${name}-${scheduledAt / 60_000}`,
          namespace,
          uid: `uid-${name}-${scheduledAt}`,
          resourceVersion: nextVersion(),
          creationTimestamp: toSeconds(created),
          annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': toSeconds(scheduledAt) },
          ownerReferences: [
            { apiVersion: 'batch/v1', kind: 'CronJob', name, uid: `uid-${name}`, controller: true },
          ],
        },
        spec: { template: { spec: {} } },
        status: end === undefined ? {} : completeAt(end),
      } as unknown as Job;
      return translateJob(scope, job, new Date(created + 1000).toISOString()).events;
    },
  };
}

/**
 * Two CronJobs in the two days before an instant: one starts late once and misses a start, and one misses starts while a
 * Job is active.
 */
export function lateAndMissedStarts(until: number): LedgerEvent[] {
  const [hour, start] = [3_600_000, until - 48 * 3_600_000];
  const { cronJob, observed, started } = createCronJobStarts({
    cluster: 'east',
    namespace: 'payments',
    createdAt: start,
  });
  const sync = (at: number, lateMs: number, hours: number): LedgerEvent[] => {
    const time = start + at * hour;
    return started('sync', time, time + lateMs, time + hours * hour);
  };
  const night = start + 26 * hour;
  return [
    ...observed(cronJob('nightly', { schedule: '0 2 * * *' }), start),
    ...observed(cronJob('sync', { schedule: '0 */4 * * *', concurrencyPolicy: 'Forbid' }), start),
    ...started('nightly', night, night + 400_000, night + hour),
    ...sync(4, 1000, 9),
    ...[16, 20, 24, 28].flatMap((at) => sync(at, 1000, 1)),
    ...[32, 36, 40, 44].flatMap((at) => sync(at, 90_000, 1)),
  ];
}

function completeAt(end: number): object {
  return {
    conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: toSeconds(end) }],
    succeeded: 1,
  };
}

function toSeconds(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
