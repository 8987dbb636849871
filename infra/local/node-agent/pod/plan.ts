import type { AgentContainer, AgentPod } from './pod.ts';
import { allContainers, isSidecar } from './pod.ts';
import { isAttemptRunning, lastAttempt, type BackOff, type PodRecord } from './pod-record.ts';
import { isDone, isInitDone, isInitialized } from './progress.ts';
import { nextStart, type BackOffSettings } from './restart.ts';
import { podDeadline, graceMs } from './stop-cause.ts';

/** A process that survives SIGKILL hangs in the kernel; the agent can only repeat the signal. */
const KILL_AGAIN_MS = 1000;

/** The actions to take now, and the time of the next plan if nothing changes before (milliseconds since 1970). */
export interface PodPlan {
  start: { container: AgentContainer; number: number; backOff?: BackOff }[];
  /** The containers that get SIGTERM. */
  terminate: string[];
  /** The containers that get SIGKILL. */
  kill: string[];
  /** The containers in back-off, with the delay in milliseconds. */
  backingOff: Record<string, number>;
  nextDecisionAt: number;
}

/**
 * Plans the next actions in a kubelet's order. The function is pure: the plan depends only on the pod, its record, the
 * time and the settings.
 */
export function planPod(pod: AgentPod, record: PodRecord, now: number, settings: BackOffSettings): PodPlan {
  const plan: PodPlan = { start: [], terminate: [], kill: [], backingOff: {}, nextDecisionAt: Infinity };
  if (record.stopping !== undefined)
    return planStop(plan, pod, record, record.stopping.since + graceMs(pod), now);
  plan.nextDecisionAt = podDeadline(pod, record);
  for (const { container, isInit } of eligibleContainers(pod, record)) {
    if (!isAttemptRunning(record, container.name) && !isDone(pod, record, container, isInit)) {
      planStart(plan, record, container, now, settings);
    }
  }
  return plan;
}

/**
 * The containers that may run now: init containers up to the first unfinished init container, and regular containers
 * after all init containers.
 */
function eligibleContainers(
  pod: AgentPod,
  record: PodRecord,
): { container: AgentContainer; isInit: boolean }[] {
  const init = pod.spec.initContainers ?? [];
  const unfinished = init.findIndex((container) => !isInitDone(record, container));
  const reached = unfinished < 0 ? init : init.slice(0, unfinished + 1);
  const regular = isInitialized(pod, record) ? pod.spec.containers : [];
  return [
    ...reached.map((container) => ({ container, isInit: true })),
    ...regular.map((container) => ({ container, isInit: false })),
  ];
}

function planStart(
  plan: PodPlan,
  record: PodRecord,
  container: AgentContainer,
  now: number,
  settings: BackOffSettings,
): void {
  const retryAt = record.waiting[container.name]?.retryAt ?? 0;
  if (now < retryAt) {
    plan.nextDecisionAt = Math.min(plan.nextDecisionAt, retryAt);
    return;
  }
  const last = lastAttempt(record, container.name);
  if (last === undefined) {
    plan.start.push({ container, number: 0 });
    return;
  }
  const next = nextStart(last, now, settings);
  if (next.due) {
    plan.start.push({ container, number: last.number + 1, backOff: next.backOff });
    return;
  }
  plan.backingOff[container.name] = next.delayMs;
  plan.nextDecisionAt = Math.min(plan.nextDecisionAt, next.at);
}

/**
 * Plans the stop of the containers: SIGTERM first for all but the sidecars, then for the sidecars one by one in reverse
 * order, and SIGKILL after the grace period.
 */
function planStop(plan: PodPlan, pod: AgentPod, record: PodRecord, killAt: number, now: number): PodPlan {
  const running = allContainers(pod).filter((container) => isAttemptRunning(record, container.name));
  if (running.length === 0) return plan;
  if (now >= killAt) {
    return { ...plan, kill: running.map((container) => container.name), nextDecisionAt: now + KILL_AGAIN_MS };
  }
  const sidecars = new Set((pod.spec.initContainers ?? []).filter(isSidecar));
  const others = running.filter((container) => !sidecars.has(container));
  const next = others.length > 0 ? others : running.slice(-1);
  const unsignalled = next.filter((container) => lastAttempt(record, container.name)?.terminating !== true);
  return { ...plan, terminate: unsignalled.map((container) => container.name), nextDecisionAt: killAt };
}
