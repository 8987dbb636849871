import type { JobSpec, PodFailurePolicyRule } from '../../../kubernetes/objects.ts';
import type { Ending } from '../plan.ts';
import type { JobState, PodState } from '../../state.ts';

/** The rule that decides on a failed pod, and what of the pod it matched. */
export type FailureMatch = { action: string; rule: number } & Cause;
type Cause = { exit: { container: string; code: number } } | { condition: string };

const ACTIONS = new Set(['Count', 'FailIndex', 'FailJob', 'Ignore']);

/** The first rule that matches decides; what no rule matches is counted (J-6.10). */
export function failureMatchOf(
  { podFailurePolicy }: Pick<JobSpec, 'podFailurePolicy'>,
  pod: PodState,
): FailureMatch | null {
  for (const [at, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const match = ACTIONS.has(rule.action) ? matchOf(rule, pod) : null;
    if (match !== null) return { action: rule.action, rule: at, ...match };
  }
  return null;
}

/** Whether the failure is not counted; it delays the next pod all the same (J-6.11). */
export function isIgnored(spec: JobSpec, pod: PodState): boolean {
  return failureMatchOf(spec, pod)?.action === 'Ignore';
}

/** The message of the Job's end when this pod fails it; null when it does not (J-6.12). */
export function failJobMessage(spec: JobSpec, pod: PodState, name: string): string | null {
  const match = failureMatchOf(spec, pod);
  if (match?.action !== 'FailJob') return null;
  const rule = `matching FailJob rule at index ${match.rule}`;
  if ('condition' in match) return `Pod ${name} has condition ${match.condition} ${rule}`;
  const { container, code } = match.exit;
  return `Container ${container} for pod ${name} failed with exit code ${code} ${rule}`;
}

/**
 * A pod has failed in a way that fails the Job (J-3.52.3). It is remembered from its fold on, so that the decision
 * stands when deletions are refused and the pod is forgotten meanwhile (B-5).
 */
export function podFailurePolicyViolated({ state: { failJob } }: { state: JobState }): Ending | null {
  if (failJob === null) return null;
  const { message } = failJob;
  const why = { rule: 'J-6.10', words: message };
  return { type: 'Failed', reason: 'PodFailurePolicy', message, isStored: false, why };
}

function matchOf({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: PodState): Cause | null {
  if (onExitCodes !== undefined) {
    const exit = pod.exits?.find(
      ({ container, code }) =>
        (onExitCodes.containerName === undefined || onExitCodes.containerName === container) &&
        isAmong(onExitCodes, code),
    );
    return exit === undefined ? null : { exit };
  }
  const condition = pod.conditions?.find(({ type, status }) =>
    onPodConditions?.some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  return condition === undefined ? null : { condition: condition.type };
}

/** An operator that we do not know matches nothing (J-6.10). */
function isAmong({ operator, values }: { operator: string; values: number[] }, code: number): boolean {
  if (operator === 'In') return values.includes(code);
  return operator === 'NotIn' && !values.includes(code);
}
