import { REDACTED } from '../../adapters/events/redacted.ts';
import type { PodRow } from '../tables/pods.ts';

/** The longest wait or cause that is distinguished from other texts, in characters. */
const LONGEST = 200;

/** The texts of ends that are not a failure of the pod. */
const NO_FAILURE =
  /^(?:Succeeded|deleted by Jobledger|deleted with its Job|gone before it was ever observed)$/;

/** Reasons of containers that could not be started, whose messages the ingester records in phrases that have no values. */
const NOT_STARTED = new Set(['StartError', 'ContainerCannotRun']);
const PHRASE = /^[a-zA-Z$][a-zA-Z$ ;'-]{0,99}$/;

/** True when a pod runs its containers, and false while it waits to restart a container. */
export function isRunning(pod: PodRow): boolean {
  return mayStillRun(pod) && pod.phase === 'Running' && pod.reason !== 'CrashLoopBackOff';
}

/**
 * The reason why an open pod does not run, without the pod's own name; empty when the reason is unknown, and null when
 * the pod runs or has ended.
 */
export function podWait(pod: PodRow): string | null {
  if (!mayStillRun(pod) || isRunning(pod)) return null;
  // The scheduler adds the reason why it evicts no other pod, which is left out.
  const message = pod.message === REDACTED ? null : pod.message?.replace(/ preemption: .*$/s, '');
  const text = [pod.reason, message].filter((part) => (part ?? '') !== '').join(': ');
  return shortMessage(text.replaceAll(`"${pod.name}`, '"…'));
}

/** The reason why an ended pod failed, as a text that groups pods; null when the pod did not fail by itself. */
export function failureCause({
  end_message: why,
  message,
}: Pick<PodRow, 'end_message' | 'message'>): string | null {
  const [cause = ''] = (why ?? '').split(': ', 1);
  if (cause === '' || NO_FAILURE.test(cause)) return null;
  const exit = /^exit code (-?\d+)(?: \((.*)\))?$/.exec(cause);
  const [, code, reason = 'Error'] = exit ?? [];
  if (code === undefined || reason === 'Error') return shortMessage(cause.replace(/ \(Error\)$/, ''));
  const isPhrase = NOT_STARTED.has(reason) && PHRASE.test(message ?? '');
  return shortMessage(`${code} ${reason}${isPhrase ? ` (${message})` : ''}`);
}

function shortMessage(message: string): string {
  return Array.from(message).slice(0, LONGEST).join('');
}

function mayStillRun({ phase, deleted_at: deleted }: PodRow): boolean {
  return deleted === null && phase !== 'Succeeded' && phase !== 'Failed';
}
