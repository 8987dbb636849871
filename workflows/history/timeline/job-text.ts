import { canonicalJson } from '../../ledger/digest.ts';
import { grantText } from '../../batch/index-grant.ts';
import type { JobAnnotations, JobFacts } from '../../batch/facts.ts';
import {
  AFTER,
  BACKOFF_SECONDS,
  FAILED_PODS_LIMIT,
  INDEXES,
  START_AND_FINISH_EVENTS,
} from '../../kubernetes/names.ts';
import type { Condition, JobSpec, JobStatus } from '../../kubernetes/objects.ts';
import { fieldChange, presentTexts } from './changes.ts';

/** Counters that the API leaves out are 0. */
const COUNTERS = ['active', 'ready', 'terminating', 'succeeded', 'failed'] as const;
const TEXTS = ['completedIndexes', 'failedIndexes', 'startTime', 'completionTime'] as const;
const SPEC = [
  'parallelism',
  'completions',
  'completionMode',
  'backoffLimit',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
  'podReplacementPolicy',
  'activeDeadlineSeconds',
  'ttlSecondsAfterFinished',
  'managedBy',
] as const;

type SpecField = (typeof SPEC)[number];

/** The changes since the previous observation of a Job, as text. */
export function jobText(before: JobFacts | null, now: JobFacts): string {
  const texts = [
    ...(before === null ? ['first seen'] : []),
    ...specText(before?.spec ?? {}, now.spec),
    fieldChange('scheduling', schedulingText(before), schedulingText(now)),
    suspensionText(before, now),
    ...annotationText(before?.annotations ?? {}, now.annotations ?? {}),
    ...(now.deleting && before?.deleting !== true ? ['deletion asked for'] : []),
    ...statusText(before?.status ?? {}, now.status),
  ];
  return presentTexts(texts).join(', ') || 'seen again: no change that matters to the Job';
}

/** The changes in a spec; null for each unchanged field. */
export function specText(
  before: Partial<Pick<JobSpec, SpecField>>,
  now: Partial<Pick<JobSpec, SpecField>>,
): (string | null)[] {
  return SPEC.map((field) => fieldChange(field, before[field], now[field]));
}

/** The field `spec.scheduling` of a Job as JSON. */
function schedulingText(job: JobFacts | null): string | undefined {
  const scheduling = job?.spec.scheduling;
  return scheduling === undefined ? undefined : canonicalJson(scheduling);
}

/**
 * The change of the suspension since the previous observation, as text; a Job that was created suspended gets no line
 * about the suspension.
 */
function suspensionText(before: JobFacts | null, { spec: { suspend = false } }: JobFacts): string | null {
  if (before === null) return suspend ? 'suspend true' : null;
  return fieldChange('suspend', before.spec.suspend ?? false, suspend);
}

/** The changes of the annotations of a Job, as texts; null for each unchanged field. */
function annotationText(before: JobAnnotations, now: JobAnnotations): (string | null)[] {
  const known = before.invalid ?? [];
  return [
    fieldChange(BACKOFF_SECONDS, before.backoffSeconds, now.backoffSeconds),
    fieldChange(FAILED_PODS_LIMIT, before.failedPodsLimit, now.failedPodsLimit),
    fieldChange(START_AND_FINISH_EVENTS, before.startAndFinishEvents, now.startAndFinishEvents),
    fieldChange(AFTER, afterText(before), afterText(now)),
    fieldChange(INDEXES, indexText(before), indexText(now)),
    ...(now.invalid ?? []).filter((message) => !known.includes(message)),
  ];
}

/** The awaited Jobs of an annotation as text. */
function afterText({ after }: JobAnnotations): string | undefined {
  return after?.map(({ job, end }) => `${job}=${end}`).join(', ');
}

/** The grant of indexes of an annotation as text. */
function indexText({ indexes }: JobAnnotations): string | undefined {
  return indexes === undefined ? undefined : grantText(indexes);
}

/** The changes between two statuses, as text; null for each unchanged field. */
export function statusText(before: JobStatus, now: JobStatus): (string | null)[] {
  return [
    ...COUNTERS.map((field) => fieldChange(field, before[field] ?? 0, now[field] ?? 0)),
    ...TEXTS.map((field) => fieldChange(field, before[field], now[field])),
    ...conditionText(before.conditions ?? [], now.conditions ?? []),
  ];
}

/** The changes of conditions, as texts. */
function conditionText(before: readonly Condition[], now: readonly Condition[]): string[] {
  const types = new Set([...before, ...now].map(({ type }) => type));
  return [...types].flatMap((type) => {
    const [old, young] = [before.find((each) => each.type === type), now.find((each) => each.type === type)];
    if (young === undefined) return [`${type} taken away`];
    return describeCondition(old) === describeCondition(young) ? [] : [describeCondition(young)];
  });
}

/** A condition as text. */
function describeCondition(condition: Condition | undefined): string {
  if (condition === undefined) return '';
  const reason = [condition.reason, condition.message].filter((part) => (part ?? '') !== '').join(': ');
  return `${condition.type}=${condition.status}${reason === '' ? '' : ` (${reason})`}`;
}
