import type { AgentContainer, AgentPod } from './pod.ts';
import { isSidecar } from './pod.ts';
import type { ContainerAttempt, BackOff } from './pod-record.ts';

export interface BackOffSettings {
  /** The delay before the second restart in a row; it doubles with each further restart. */
  baseMs: number;
  maxMs: number;
}

/**
 * True when an ended container is restarted while its pod runs. The container's rules take precedence over its policy,
 * and its policy takes precedence over the pod's policy (KEP-5307, KEP-753).
 */
export function isRestarted(
  pod: AgentPod,
  container: AgentContainer,
  isInit: boolean,
  exitCode: number,
): boolean {
  if (isInit && isSidecar(container)) return true;
  const byRule = (container.restartPolicyRules ?? []).some((rule) => {
    if (rule.action !== 'Restart' || rule.exitCodes === undefined) return false;
    const listed = (rule.exitCodes.values ?? []).includes(exitCode);
    return rule.exitCodes.operator === 'In' ? listed : !listed;
  });
  if (byRule) return true;
  const policy = container.restartPolicy ?? pod.spec.restartPolicy ?? 'Always';
  // An init container that succeeded is done under every policy.
  return policy === 'OnFailure' || (policy === 'Always' && isInit) ? exitCode !== 0 : policy === 'Always';
}

export type NextStart = { due: true; backOff: BackOff } | { due: false; at: number; delayMs: number };

/**
 * The kubelet's container back-off: the first restart is immediate, the delay doubles with each further restart, and
 * the delay is reset once a container has run for more than twice the maximum delay.
 */
export function nextStart(ended: ContainerAttempt, now: number, settings: BackOffSettings): NextStart {
  const finishedAt = ended.end?.finishedAt ?? now;
  const entry = ended.backOff;
  if (entry === undefined || finishedAt - entry.at > 2 * settings.maxMs) {
    return { due: true, backOff: { delayMs: settings.baseMs, at: now } };
  }
  const at = finishedAt + entry.delayMs;
  if (now < at) return { due: false, at, delayMs: entry.delayMs };
  return { due: true, backOff: { delayMs: Math.min(entry.delayMs * 2, settings.maxMs), at: now } };
}
