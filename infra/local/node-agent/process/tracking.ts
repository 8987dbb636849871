import type { ChildProcess } from 'node:child_process';
import type { AgentContainer } from '../pod/pod.ts';
import type { ContainerEnd } from '../pod/pod-record.ts';
import { LOST } from '../pod/recover.ts';
import { modifiedAt, writeJson, type AttemptFiles } from './attempt-directory.ts';
import { killedEnd, livingWrapper, recordedEnd } from './exit-record.ts';
import { sendSignal } from './process-table.ts';

/** An adopted process is not our child, so its end must be polled. */
const LOOK_EVERY_MS = 200;

type Ended = (end: ContainerEnd) => void;

/**
 * Detects the end of container processes: of children of this process, and of adopted processes that an earlier agent
 * started.
 */
export interface Tracking {
  trackChild(child: ChildProcess, files: AttemptFiles, container: AgentContainer, ended: Ended): void;
  trackAdopted(files: AttemptFiles, container: AgentContainer, ended: Ended): void;
  /** The attempts whose end has not been detected yet. */
  living(): AttemptFiles[];
  /** The process id of an attempt's wrapper; undefined when it is not running. */
  findWrapper(files: AttemptFiles): number | undefined;
}

export function createTracking(): Tracking {
  const living = new Map<string, AttemptFiles>();
  const children = new Map<string, number>();
  const adopted = new Map<string, () => boolean>();
  let timer: NodeJS.Timeout | undefined;

  const reportEnd = (files: AttemptFiles, end: ContainerEnd, ended: Ended): void => {
    living.delete(files.directory);
    ended(storeEnd(files, end));
  };
  const pollAdopted = (): void => {
    for (const [directory, isOver] of adopted) if (isOver()) adopted.delete(directory);
    if (adopted.size > 0 || timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
  };
  const trackAdopted: Tracking['trackAdopted'] = (files, container, ended) => {
    living.set(files.directory, files);
    adopted.set(files.directory, () => {
      if (livingWrapper(files) !== undefined) return false;
      reportEnd(files, endOfVanished(files, container), ended);
      return true;
    });
    timer ??= setInterval(pollAdopted, LOOK_EVERY_MS).unref();
  };

  return {
    trackAdopted,
    trackChild(child, files, container, ended) {
      living.set(files.directory, files);
      if (child.pid !== undefined) children.set(files.directory, child.pid);
      child.once('exit', (_code, name) => {
        children.delete(files.directory);
        const wrapper = livingWrapper(files);
        // A wrapper that an earlier agent started just before it was killed had already claimed the pid file.
        if (wrapper !== undefined && wrapper !== child.pid) return trackAdopted(files, container, ended);
        const recorded = recordedEnd(files, container);
        if (recorded === undefined && child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
        return reportEnd(files, recorded ?? killedEnd(files, container, name), ended);
      });
    },
    living: () => [...living.values()],
    // A new child may not have written its process id yet.
    findWrapper: (files) => children.get(files.directory) ?? livingWrapper(files),
  };
}

/**
 * The end of an attempt whose wrapper is gone: the recorded end, or an end as killed or unknown if no end was recorded.
 */
export function endOfVanished(files: AttemptFiles, container: AgentContainer): ContainerEnd {
  const recorded = recordedEnd(files, container);
  if (recorded !== undefined) return recorded;
  if (modifiedAt(files.killed) !== undefined) return killedEnd(files, container, 'SIGKILL');
  const now = Date.now();
  return { ...LOST, startedAt: modifiedAt(files.pid) ?? now, finishedAt: now };
}

/** Stores an end before it is reported, so that a reported end never changes. */
export function storeEnd(files: AttemptFiles, end: ContainerEnd): ContainerEnd {
  writeJson(files.end, end);
  return end;
}
