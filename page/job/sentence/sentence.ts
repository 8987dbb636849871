import { podOutcome } from '../../../services/read-model/shown/pod-outcome.ts';
import type { JobDetails, ListedCondition, ListedPod } from '../../api/rows.ts';
import { duration, localTime, distanceText } from '../../components/instants.ts';
import { waitPhrase } from '../../components/wait-text.ts';
import { statusTone, type Tone } from '../../components/tone.ts';
import { countText } from '../../components/count-text.ts';
import { ordinal, spokenIndexes } from './spoken.ts';

/** The short explanation of a Job's status. */
export interface Sentence {
  /** The answer, in a short sentence. */
  lead: string;
  /** The facts behind the sentence. */
  rest: string;
  tone: Tone;
}

/** Explains the status of a Job in a sentence, from the same facts as `why`. */
export function jobSentence(job: JobDetails, pods: readonly ListedPod[], now: number): Sentence {
  const tone = statusTone(job.status);
  const rest = remainingTexts(job, pods, now).filter(Boolean).join(' ');
  return { lead: leadText(job, pods), rest, tone };
}

/** The first sentence, from the status of the Job. */
function leadText(job: JobDetails, pods: readonly ListedPod[]): string {
  switch (job.status) {
    case 'Failed':
      return leadOfFailure(job, pods);
    case 'Succeeded':
      return 'The Job succeeded.';
    case 'Running':
      return 'The Job is running.';
    case 'Retrying':
      return 'The Job failed before and tries again.';
    case 'Pending':
      return 'The Job has not started.';
    case 'Suspended':
      return 'The Job is suspended.';
    case 'Deleted':
      return 'The Job was deleted before its end.';
    case 'External':
      return 'Jobledger does not control this Job.';
  }
}

const BY_CODE: Readonly<Record<number, string>> = {
  126: 'The command of the container could not be run.',
  127: 'The command of the container was not found.',
};

/** The first sentence about a failed Job, from its conditions and its most frequent failure. */
function leadOfFailure(job: JobDetails, pods: readonly ListedPod[]): string {
  const condition = endCondition(job)?.reason;
  if (condition === 'DeadlineExceeded') return 'The Job took too long.';
  const cause = mainCause(pods);
  if (cause === null) return 'The Job failed.';
  const { code, reason } = cause;
  if (reason === 'OOMKilled') return 'The Job ran out of memory.';
  if (reason === 'Evicted') return 'The pods were evicted from their nodes.';
  if (reason === 'StartError') return 'The container of a pod could not start.';
  if (code === null) return `The pods failed: ${reason ?? 'no exit code is known'}.`;
  return BY_CODE[code] ?? `The Job failed: a container exited with code ${code}.`;
}

/** The kinds of failures, each with its pods. */
interface Cause {
  code: number | null;
  reason: string | null;
  pods: ListedPod[];
}

/** The most frequent failure of pods that failed by themselves; null when no pod failed by itself. */
export function mainCause(pods: readonly ListedPod[]): Cause | null {
  const causes = new Map<string, Cause>();
  for (const pod of pods) {
    if (pod.finished_at === null && pod.deleted_at === null) continue;
    if (podOutcome(pod) !== 'failed') continue;
    const { exit_code: code, reason } = pod;
    const key = `${code} ${reason}`;
    const cause = causes.get(key) ?? { code, reason, pods: [] };
    cause.pods.push(pod);
    causes.set(key, cause);
  }
  return [...causes.values()].toSorted((a, b) => b.pods.length - a.pods.length)[0] ?? null;
}

/** The further sentences: the failures, the limit that ended the Job, the work that is done, and the wait. */
function remainingTexts(job: JobDetails, pods: readonly ListedPod[], now: number): string[] {
  switch (job.status) {
    case 'Failed':
      return [failuresText(job, pods), limitText(job), doneText(job)];
    case 'Succeeded':
      return [successText(job, pods)];
    case 'Running':
      return [`${countText(job.active, 'pod')} at work.`, doneText(job), attemptsText(pods)];
    case 'Retrying':
      return [failuresText(job, pods), waitText(job, now), doneText(job)];
    case 'Deleted':
      return [
        job.deleted_at === null ? '' : `That was at ${localTime(Date.parse(job.deleted_at))}.`,
        doneText(job),
      ];
    case 'Pending':
    case 'Suspended':
    case 'External':
      return [waitText(job, now)];
  }
}

/** The text about the failed pods, with their indexes, their failure and its frequency. */
function failuresText({ completion_mode: mode }: JobDetails, pods: readonly ListedPod[]): string {
  const cause = mainCause(pods);
  if (cause === null) return '';
  const { code, reason } = cause;
  const how =
    code === null ? `failed (${reason ?? 'no exit code'})` : `ended with ${code}${reasonText(reason)}`;
  if (mode !== 'Indexed') {
    const count = cause.pods.length;
    return `${countText(count, 'pod')} ${how}.`;
  }
  const attempts = new Map<number, number>();
  for (const { completion_index: index } of cause.pods)
    if (index !== null) attempts.set(index, (attempts.get(index) ?? 0) + 1);
  const indexes = [...attempts.keys()].toSorted((a, b) => a - b);
  const most = new Set(attempts.values());
  const [times = 1] = most;
  const often =
    most.size > 1
      ? ', some indexes more than once'
      : times > 1
        ? `, ${indexes.length > 1 ? 'each ' : ''}up to its ${ordinal(times)} attempt`
        : '';
  return `${spokenIndexes(indexes)} ${how}${often}.`;
}

/** The reason of a pod's end in brackets; empty for a reason that adds nothing. */
function reasonText(reason: string | null): string {
  return reason === null || reason === 'Error' ? '' : ` (${reason})`;
}

/** The condition that made the Job fail. */
function endCondition({ conditions }: JobDetails): ListedCondition | undefined {
  return conditions.findLast(
    ({ type, status }) => (type === 'Failed' || type === 'FailureTarget') && status === 'True',
  );
}

/** The text about the limit that ended the Job. */
function limitText(job: JobDetails): string {
  const end = endCondition(job);
  const at =
    job.finished_at === null ? '' : ` at ${localTime(Math.floor(Date.parse(job.finished_at) / 1000) * 1000)}`;
  if (end === undefined || end.reason === null) return '';
  switch (end.reason) {
    case 'BackoffLimitExceeded':
      return `The limit of ${countText(job.backoff_limit ?? 6, 'retry', 'retries')} was reached${at}.`;
    case 'DeadlineExceeded': {
      const seconds = job.active_deadline_seconds;
      return seconds === null
        ? `The deadline passed${at}.`
        : `The deadline of ${duration(seconds * 1000)} passed${at}.`;
    }
    case 'FailedIndexes':
      return `So ${spokenIndexes(indexesIn(job.failed_indexes))} failed for good${at}.`;
    case 'MaxFailedIndexesExceeded':
      return `More indexes failed than the Job allows${at}.`;
    case 'PodFailurePolicy':
      return `The failure policy of the Job ended it${at}: ${end.message ?? 'a rule matched'}.`;
    default:
      return `${end.message ?? end.reason}.`;
  }
}

/** The indexes in a text such as `1,3-5`, at most a thousand. */
export function indexesIn(text: string | null): number[] {
  return (text ?? '')
    .split(',')
    .filter(Boolean)
    .flatMap((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return Array.from({ length: Math.min(1000, last - first + 1) }, (_, at) => first + at);
    });
}

/** The sentence about the completions of the Job. */
function doneText({ completions, completion_mode: mode, succeeded }: JobDetails): string {
  if (completions === null) return succeeded === 0 ? '' : `${countText(succeeded, 'pod')} had succeeded.`;
  const [one, many] =
    mode === 'Indexed' ? (['index', 'indexes'] as const) : (['completion', 'completions'] as const);
  return `${succeeded} of ${countText(completions, one, many)} succeeded.`;
}

/** The sentences about a succeeded Job. */
function successText(job: JobDetails, pods: readonly ListedPod[]): string {
  const { started_at: started, finished_at: finished, succeeded } = job;
  const took =
    started === null || finished === null
      ? ''
      : ` in ${duration(Math.max(0, Date.parse(finished) - Date.parse(started)))}`;
  const failed = pods.filter((pod) => pod.finished_at !== null && podOutcome(pod) === 'failed').length;
  const after = failed === 0 ? '' : `, after ${countText(failed, 'failed attempt')}`;
  return `${countText(succeeded, 'pod')} did the work${took}${after}.`;
}

/** The sentence about failed attempts. */
function attemptsText(pods: readonly ListedPod[]): string {
  const cause = mainCause(pods);
  return cause === null ? '' : `${countText(cause.pods.length, 'attempt')} failed before.`;
}

/** The sentence about the wait of the Job. */
function waitText(
  { waiting_for: waits, waiting_until: until, status: state }: JobDetails,
  now: number,
): string {
  if (waits === null) return '';
  const when = until !== null && Date.parse(until) > now ? `, ${distanceText(Date.parse(until), now)}` : '';
  if (state === 'External') return `It is for ${waits}${when}.`;
  const phrase = waitPhrase(waits);
  return phrase === waits
    ? `${waits.charAt(0).toUpperCase()}${waits.slice(1)}${when}.`
    : `It ${phrase}${when}.`;
}
