import type { ChildFacts, CronJobFacts } from '../../cron-job/facts.ts';
import type { CronJobStatus } from '../../kubernetes/objects.ts';
import { fieldChange, presentTexts } from './changes.ts';
import { fewText } from './few.ts';

const SPEC = [
  'schedule',
  'timeZone',
  'concurrencyPolicy',
  'startingDeadlineSeconds',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
] as const;

/** The changes since the previous observation of a CronJob, as text. */
export function cronJobText(before: CronJobFacts | null, now: CronJobFacts): string {
  const texts = [
    ...(before === null ? ['first seen'] : []),
    ...SPEC.map((field) => fieldChange(field, before?.spec[field], now.spec[field])),
    suspensionText(before, now),
    ...(now.deleting && before?.deleting !== true ? ['deletion asked for'] : []),
    ...cronStatusText(before?.status ?? {}, now.status),
  ];
  return presentTexts(texts).join(', ') || 'nothing that a CronJob controller looks at';
}

/** The change of the suspension since the previous observation, as text; null when it has not changed. */
function suspensionText(
  before: CronJobFacts | null,
  { spec: { suspend = false } }: CronJobFacts,
): string | null {
  if (before === null) return suspend ? 'suspend true' : null;
  return fieldChange('suspend', before.spec.suspend ?? false, suspend);
}

/** The changes between two statuses of a CronJob. */
export function cronStatusText(before: CronJobStatus, now: CronJobStatus): (string | null)[] {
  const [was, is] = [before.active ?? [], now.active ?? []];
  const added = is.filter(({ uid }) => !was.some((each) => each.uid === uid)).map(({ name }) => name ?? '');
  const removed = was.filter(({ uid }) => !is.some((each) => each.uid === uid)).map(({ name }) => name ?? '');
  return [
    added.length === 0 ? null : `active: ${fewText(added)}`,
    removed.length === 0 ? null : `no longer active: ${fewText(removed)}`,
    fieldChange('lastScheduleTime', before.lastScheduleTime, now.lastScheduleTime),
    fieldChange('lastSuccessfulTime', before.lastSuccessfulTime, now.lastSuccessfulTime),
  ];
}

/** The changes since the previous observation of a Job of a CronJob, as text. */
export function childText(before: ChildFacts | null, now: ChildFacts): string {
  const texts = [
    ...(before === null ? ['first seen'] : []),
    now.elsewhere === true && before?.elsewhere !== true ? 'the CronJob is not its controller' : null,
    fieldChange('startTime', before?.startTime, now.startTime),
    now.finished === before?.finished ? null : (now.finished ?? null),
  ];
  return presentTexts(texts).join(', ') || 'nothing that a CronJob controller looks at';
}
