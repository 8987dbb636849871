import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { allContainers, type AgentPod } from '../pod/pod.ts';
import type { ContainerAttempt, BackOff, ContainerEnd, PodRecord } from '../pod/pod-record.ts';
import { attemptFiles, modifiedAt, readJson, writeJson, type AttemptFiles } from './attempt-directory.ts';

/** Stored when an attempt begins, before its process starts. */
export interface BeginRecord {
  number: number;
  at: number;
  backOff?: BackOff;
}

type PodFile = Pick<PodRecord, 'startTime' | 'stopping'>;

/** The agent's state directory: one directory per pod, named by uid, with its volumes and container attempts. */
export interface Memory {
  podDirectory(uid: string): string;
  attempt(uid: string, container: string, number: number): AttemptFiles;
  /** The stored record of a pod. Attempts without an end may still be running. */
  recall(pod: AgentPod): Partial<PodRecord>;
  remember(uid: string, record: PodFile): void;
  /** The uids of all pods with a directory. */
  uids(): string[];
  /** All stored attempts of a pod, which the API may have deleted. */
  listAttempts(uid: string): AttemptFiles[];
  forget(uid: string): void;
}

export function createMemory(stateDirectory: string): Memory {
  const pods = join(stateDirectory, 'pods');
  mkdirSync(pods, { recursive: true, mode: 0o700 });
  const podDirectory = (uid: string): string => join(pods, uid);
  const podFile = (uid: string): string => join(podDirectory(uid), 'pod.json');
  const containerDirectory = (uid: string, name: string): string =>
    join(podDirectory(uid), 'containers', name);
  const attemptFilesOf: Memory['attempt'] = (uid, container, number) =>
    attemptFiles(join(containerDirectory(uid, container), String(number)));
  const storedAttempts = (uid: string, name: string): AttemptFiles[] =>
    storedNumbers(containerDirectory(uid, name)).map((number) => attemptFilesOf(uid, name, number));

  return {
    podDirectory,
    attempt: attemptFilesOf,
    recall(pod) {
      const { uid } = pod.metadata;
      const attempts = allContainers(pod).map(({ name }) => [
        name,
        storedAttempts(uid, name)
          .slice(-2)
          .flatMap((files) => recallAttempt(uid, name, files)),
      ]);
      return {
        ...(readJson(podFile(uid)) as PodFile | undefined),
        attempts: Object.fromEntries(attempts) as PodRecord['attempts'],
      };
    },
    remember: (uid, { startTime, stopping }) => writeJson(podFile(uid), { startTime, stopping }),
    uids: () => listDirectory(pods),
    listAttempts: (uid) =>
      listDirectory(join(podDirectory(uid), 'containers')).flatMap((name) => storedAttempts(uid, name)),
    forget: (uid) => rmSync(podDirectory(uid), { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** The container ID for the status, in the upstream form `<runtime>://<id>`. */
export function containerId(uid: string, container: string, number: number): string {
  return `process://${uid}-${container}-${number}`;
}

function recallAttempt(uid: string, container: string, files: AttemptFiles): ContainerAttempt[] {
  const begin = readJson(files.begin) as BeginRecord | undefined;
  if (begin === undefined) return [];
  const end = readJson(files.end) as ContainerEnd | undefined;
  // The attempt was recorded but never started, so it is started again under the same number.
  if (end === undefined && modifiedAt(files.pid) === undefined) return [];
  return [
    {
      id: containerId(uid, container, begin.number),
      number: begin.number,
      startedAt: begin.at,
      ...(begin.backOff === undefined ? {} : { backOff: begin.backOff }),
      ...(end === undefined ? {} : { end }),
    },
  ];
}

function storedNumbers(directory: string): number[] {
  const numbers = listDirectory(directory).map(Number);
  return numbers.filter(Number.isInteger).sort((a, b) => a - b);
}

function listDirectory(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
