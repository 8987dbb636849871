import type { JobSpec, PodFailurePolicyRule } from '../../kubernetes/objects.ts';
import type { PodState } from '../state.ts';

/** The rule that applies to a failed pod, and the exit code or condition that it matched. */
export type FailureMatch = { action: string; rule: number } & Cause;
type Cause = { exit: { container: string; code: number } } | { condition: string };

const ACTIONS = new Set(['Count', 'FailIndex', 'FailJob', 'Ignore']);

/** The first matching rule; null when no rule matches, and the failure is counted (J-6.10). */
export function matchFailure(
  { podFailurePolicy }: Pick<JobSpec, 'podFailurePolicy'>,
  pod: PodState,
): FailureMatch | null {
  for (const [at, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const match = ACTIONS.has(rule.action) ? matchRule(rule, pod) : null;
    if (match !== null) return { action: rule.action, rule: at, ...match };
  }
  return null;
}

/** True when a rule ignores the failure, which is then not counted, but still causes back-off (J-6.11). */
export function isIgnored(spec: JobSpec, pod: PodState): boolean {
  return matchFailure(spec, pod)?.action === 'Ignore';
}

/** The message of the condition if this pod fails the Job; null if it does not fail the Job (J-6.12). */
export function failJobMessage(spec: JobSpec, pod: PodState, name: string): string | null {
  const match = matchFailure(spec, pod);
  if (match?.action !== 'FailJob') return null;
  const rule = `matching FailJob rule at index ${match.rule}`;
  if ('condition' in match) return `Pod ${name} has condition ${match.condition} ${rule}`;
  const { container, code } = match.exit;
  return `Container ${container} for pod ${name} failed with exit code ${code} ${rule}`;
}

/** The exit code or condition of a pod that a rule matches; null when the rule does not match. */
function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, pod: PodState): Cause | null {
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

/** True when an exit code meets the requirement of a rule; an unknown operator matches nothing (J-6.10). */
function isAmong({ operator, values }: { operator: string; values: number[] }, code: number): boolean {
  if (operator === 'In') return values.includes(code);
  return operator === 'NotIn' && !values.includes(code);
}
