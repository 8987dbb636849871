import { setTimeout as delay } from 'node:timers/promises';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { errorMessage, UnavailableError } from '../../../../services/adapters/errors.ts';
import type { ClusterObjects } from '../container/cluster-objects.ts';
import { declaredEnvironment } from '../container/environment.ts';
import { createInvocation, type Invocation } from '../container/invocation.ts';
import type { LocalImage } from '../container/local-images.ts';
import type { Mount } from '../container/mounts.ts';
import type { AgentContainer, AgentPod } from '../pod/pod.ts';
import { allContainers } from '../pod/pod.ts';
import type { ContainerAttempt, BackOff, ContainerEnd, PodRecord } from '../pod/pod-record.ts';
import { provideMounts } from '../volumes/provide.ts';
import { writeJson, type AttemptFiles } from './attempt-directory.ts';
import { livingWrapper } from './exit-record.ts';
import { notExecutableReason } from './find-executable.ts';
import { containerId, type BeginRecord, type Memory } from './memory.ts';
import { killAttempt, terminateAttempt } from './signals.ts';
import { createTracking, endOfVanished, storeEnd } from './tracking.ts';
import { startWrapper } from './wrapper.ts';

/** The callback once the process of an attempt has ended. */
export type Ended = (container: string, number: number, end: ContainerEnd) => void;

/** Containers as processes of this host. */
export interface Containers {
  /**
   * @throws ConfigError, KubernetesApiError or UnavailableError when the container cannot be created now; then no
   * process was started.
   */
  start(
    pod: AgentPod,
    container: AgentContainer,
    at: { number: number; backOff?: BackOff },
    ended: Ended,
  ): Promise<ContainerAttempt>;
  /** The stored record of a pod. The live processes of the pod are tracked again. */
  recall(pod: AgentPod, ended: Ended): Partial<PodRecord>;
  /** Sends SIGTERM to the container's main process. */
  terminate(files: AttemptFiles): void;
  /** Sends SIGKILL to the container's whole process group. */
  kill(files: AttemptFiles): void;
  /** The attempts whose processes are running. */
  living(): AttemptFiles[];
  /** Refuses further starts. */
  close(): void;
}

export interface ContainerContext {
  memory: Memory;
  objects: ClusterObjects;
  services: Record<string, string>;
  /** The node's allocatable resources. */
  node: Record<string, string>;
  ownEnvironment: Record<string, string | undefined>;
  /** The images whose files this host has. */
  images: readonly LocalImage[];
}

export function createContainers(given: ContainerContext): Containers {
  const { memory } = given;
  const tracking = createTracking();
  let closed = false;
  return {
    async start(pod, container, at, ended) {
      const { uid } = pod.metadata;
      const files = memory.attempt(uid, container.name, at.number);
      const invocation = await prepareAttempt(pod, container, files, given);
      if (closed) throw new UnavailableError('the node agent is stopping');
      const begin: BeginRecord = { ...at, at: Date.now() };
      writeJson(files.begin, begin);
      mkdirSync(files.work, { recursive: true });
      // The previous attempt's log is kept for `kubectl logs --previous`.
      rmSync(memory.attempt(uid, container.name, at.number - 2).directory, { recursive: true, force: true });
      const attempt = { id: containerId(uid, container.name, at.number), startedAt: begin.at, ...at };
      const refusal = notStartableReason(invocation, files) ?? (await launchAttempt());
      return refusal === undefined ? attempt : { ...attempt, end: storeEnd(files, startError(refusal)) };

      async function launchAttempt(): Promise<string | undefined> {
        try {
          const child = await startWrapper(files, invocation);
          tracking.trackChild(child, files, container, (end) => ended(container.name, at.number, end));
          return undefined;
        } catch (error) {
          return errorMessage(error);
        }
      }
    },
    recall(pod, ended) {
      const remembered = memory.recall(pod);
      for (const container of allContainers(pod)) {
        for (const attempt of remembered.attempts?.[container.name] ?? []) {
          if (attempt.end !== undefined) continue;
          const files = memory.attempt(pod.metadata.uid, container.name, attempt.number);
          if (livingWrapper(files) === undefined)
            attempt.end = storeEnd(files, endOfVanished(files, container));
          else tracking.trackAdopted(files, container, (end) => ended(container.name, attempt.number, end));
        }
      }
      return remembered;
    },
    terminate: (files) => terminateAttempt(files, (of) => tracking.findWrapper(of)),
    kill: (files) => killAttempt(files, tracking.findWrapper(files)),
    living: () => tracking.living(),
    close: () => {
      closed = true;
    },
  };
}

async function prepareAttempt(
  pod: AgentPod,
  container: AgentContainer,
  files: AttemptFiles,
  given: ContainerContext,
): Promise<Invocation> {
  const volumes = await provideMounts(pod, container, given.memory.podDirectory(pod.metadata.uid), given);
  const termination: Mount = {
    name: 'termination-log',
    mountPath: container.terminationMessagePath ?? '/dev/termination-log',
    hostPath: files.message,
  };
  const declared = await declaredEnvironment(pod, container, given);
  const image = given.images.find((each) => each.image === container.image);
  return createInvocation(pod, container, {
    declared,
    mounts: [...volumes, termination],
    own: given.ownEnvironment,
    ...(image !== undefined && { image }),
  });
}

function notStartableReason(invocation: Invocation, files: AttemptFiles): string | undefined {
  const cwd = invocation.cwd ?? files.work;
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return `chdir to cwd ("${cwd}"): no such directory on this host`;
  }
  return notExecutableReason(invocation.argv[0], invocation.env['PATH'] ?? '', cwd);
}

/** The end that containerd reports for a container that could not be started. */
function startError(cause: string): ContainerEnd {
  const message = `failed to start container: unable to start container process: ${cause}`;
  return { exitCode: 128, reason: 'StartError', message, finishedAt: Date.now() };
}

const LOOK_EVERY_MS = 20;

/**
 * Stops all containers when the agent stops: SIGTERM first, then SIGKILL to containers that still run after `limitMs`. The exit codes of containers
 * are stored, and reported when the agent runs again, as after a node's reboot.
 */
export async function stopAll(containers: Containers, limitMs: number): Promise<void> {
  containers.close();
  const until = Date.now() + limitMs;
  for (const files of containers.living()) containers.terminate(files);
  await waitWhileRunning(containers, until);
  for (const files of containers.living()) containers.kill(files);
  await waitWhileRunning(containers, until + limitMs / 4);
}

/** Waits until no container runs, or until the instant `until`. */
async function waitWhileRunning(containers: Containers, until: number): Promise<void> {
  while (containers.living().length > 0 && Date.now() < until) await delay(LOOK_EVERY_MS);
}
