import { allContainers } from '../pod/pod.ts';
import type { ContainerAttempt } from '../pod/pod-record.ts';
import { isDone } from '../pod/progress.ts';
import type { PodWorker } from '../workers/pod-worker.ts';
import type { LogRequest } from './log-request.ts';

/** The attempt whose log was requested, or an error response worded like the kubelet's. */
export type LogSource = { attempt: ContainerAttempt; uid: string } | { status: 400 | 404; message: string };

export function findLogSource(request: LogRequest, worker: PodWorker | undefined): LogSource {
  if (worker === undefined) return { status: 404, message: `pod "${request.pod}" not found on this node` };
  const { pod, record } = worker;
  const container = allContainers(pod).find((one) => one.name === request.container);
  if (container === undefined) {
    return { status: 400, message: `container "${request.container}" is not valid for pod "${request.pod}"` };
  }
  const attempts = record.attempts[container.name] ?? [];
  const isInit = (pod.spec.initContainers ?? []).includes(container);
  // While a container waits for its restart, the last attempt is both the current and the previous one.
  const waits =
    attempts.at(-1)?.end !== undefined &&
    record.stopping === undefined &&
    !isDone(pod, record, container, isInit);
  const attempt = request.previous && !waits ? attempts.at(-2) : attempts.at(-1);
  if (attempt !== undefined) return { attempt, uid: pod.metadata.uid };
  return { status: 400, message: missingLogReason(request, record.waiting[container.name]?.reason) };
}

function missingLogReason(request: LogRequest, reason = 'ContainerCreating'): string {
  return request.previous
    ? `previous terminated container "${request.container}" in pod "${request.pod}" not found`
    : `container "${request.container}" in pod "${request.pod}" is waiting to start: ${reason}`;
}
