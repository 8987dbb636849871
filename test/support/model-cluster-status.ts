import type { Condition, Job, JobStatus } from '../../workflows/kubernetes/objects.ts';

/** The objections of kube-apiserver to a status update, by the letters of J-1.40; empty without objections. */
export function objectionsTo(old: Job, next: JobStatus): string[] {
  return [...counters(next), ...lists(old, next), ...endings(old, next), ...transitions(old, next)];
}

function counters(next: JobStatus): string[] {
  const { active = 0, ready = 0, terminating = 0, succeeded = 0, failed = 0 } = next;
  return [
    ...when(
      [active, ready, terminating, succeeded, failed].some((count) => count < 0),
      'a: a counter below 0',
    ),
    ...when(ready > active, 's: cannot set more ready pods than active'),
  ];
}

function lists(
  { spec }: Job,
  { uncountedTerminatedPods, completedIndexes = '', failedIndexes }: JobStatus,
): string[] {
  const [completed, failed] = [completedIndexes, failedIndexes ?? ''].map(strictly);
  const isIndexed = spec.completionMode === 'Indexed';
  const completions = spec.completions ?? 0;
  const uids = [...(uncountedTerminatedPods?.succeeded ?? []), ...(uncountedTerminatedPods?.failed ?? [])];
  return [
    ...when(uids.includes('') || new Set(uids).size < uids.length, 'b: uncounted uids empty or not unique'),
    ...when(
      completed === null || (isIndexed && (completed?.at(-1) ?? -1) >= completions),
      'm: completedIndexes',
    ),
    ...when(failed === null || (failed?.at(-1) ?? -1) >= completions, 'n: failedIndexes'),
    ...when(completedIndexes !== '' && !isIndexed, 'o: completedIndexes of a NonIndexed Job'),
    ...when(
      failedIndexes !== undefined && spec.backoffLimitPerIndex === undefined,
      'p: failedIndexes without backoffLimitPerIndex',
    ),
    ...when(failed?.some((index) => completed?.includes(index)) === true, 'q: failed and completed overlap'),
  ];
}

/** J-1.31: ascending; null when it is not. */
function strictly(text: string): number[] | null {
  const indexes: number[] = [];
  for (const fragment of text === '' ? [] : text.split(',')) {
    const [first = Number.NaN, last = first, ...more] = fragment.split('-').map(Number);
    const isRun = fragment.includes('-') ? last > first : last === first;
    if (!isRun || more.length > 0 || first <= (indexes.at(-1) ?? -1)) return null;
    for (let index = first; index <= last; index += 1) indexes.push(index);
  }
  return indexes;
}

function endings(old: Job, next: JobStatus): string[] {
  const [complete, failed, failing, succeeding] = ENDS.map((type) => isTrue(next, type));
  const { startTime, completionTime, active = 0, terminating = 0, uncountedTerminatedPods } = next;
  const { succeeded = [], failed: failedUids = [] } = uncountedTerminatedPods ?? {};
  const isFinished = complete === true || failed === true;
  const needsNoStart = old.spec.suspend === true && old.spec.completions === 0;
  return [
    ...when(complete === true && failed === true, 'c: Complete and Failed'),
    ...when(complete === true && failing === true, 'd: Complete and FailureTarget'),
    ...when(completionTime !== undefined && complete !== true, 'e: completionTime without Complete'),
    ...when(complete === true && completionTime === undefined, 'f: Complete without completionTime'),
    ...when(isBefore(completionTime, startTime), 'g: completionTime before startTime'),
    ...when(failed === true && failing !== true, 'h: Failed without FailureTarget'),
    ...when(complete === true && succeeding !== true, 'i: Complete without SuccessCriteriaMet'),
    ...when(isFinished && active > 0, 'j: active>0 is invalid for finished job'),
    ...when(isFinished && startTime === undefined && !needsNoStart, 'k: startTime is required'),
    ...when(isFinished && succeeded.length + failedUids.length > 0, 'l: uncounted of a finished job'),
    ...when(isFinished && terminating > 0, 'r: terminating>0 is invalid for finished job'),
    ...when(succeeding === true && failed === true, 't: SuccessCriteriaMet and Failed'),
    ...when(succeeding === true && failing === true, 'u: SuccessCriteriaMet and FailureTarget'),
  ];
}

const ENDS = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'];

function transitions({ spec, status: old = {} }: Job, next: JobStatus): string[] {
  const undone = ENDS.filter((type) => isTrue(old, type) && !isTrue(next, type));
  const isMoved = old.startTime !== undefined && old.startTime !== next.startTime;
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  const isResumed =
    conditionStatus(old, 'Suspended') === 'True' && conditionStatus(next, 'Suspended') === 'False';
  const { completionTime } = old;
  return [
    ...undone.map((type) => `w, x: cannot disable ${type}`),
    ...when((next.failed ?? 0) < (old.failed ?? 0), 'z: cannot decrease the failed counter'),
    ...when(
      !isElastic && (next.succeeded ?? 0) < (old.succeeded ?? 0),
      'aa: cannot decrease the succeeded counter',
    ),
    ...when(
      completionTime !== undefined &&
        next.completionTime !== undefined &&
        next.completionTime !== completionTime,
      'ab: completionTime changed',
    ),
    ...when(isMoved && spec.suspend !== true && !isResumed, 'ac: startTime changed'),
  ];
}

function when(isWrong: boolean, objection: string): string[] {
  return isWrong ? [objection] : [];
}

function isBefore(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && Date.parse(a) < Date.parse(b);
}

function isTrue(status: JobStatus, type: string): boolean {
  return conditionStatus(status, type) === 'True';
}

function conditionStatus({ conditions = [] }: JobStatus, type: string): Condition['status'] | undefined {
  return conditions.find((condition) => condition.type === type)?.status;
}
