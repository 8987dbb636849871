import { JobledgerError } from '../../../services/adapters/errors.ts';
import type { ChildSpec } from './keep-running.ts';
import type { Supervisor } from './supervisor.ts';

/** A server to start, or a function to run. */
export type StartStep = ChildSpec | (() => Promise<void>);

/** The stages of a start, one after another; the steps of one stage run in parallel. */
export type Group = readonly (readonly StartStep[])[];

interface Start {
  readonly supervisor: Supervisor;
  /** Receives the name of each started server. */
  readonly specs: Map<string, ChildSpec>;
  readonly signal: AbortSignal;
}

/**
 * Starts all groups, and waits until all are ready. Starts no server once `signal` is aborted. @throws when the signal
 * is aborted.
 */
export function startGroups(groups: readonly Group[], start: Start): Promise<void> {
  return waitUnlessAborted(() => Promise.all(groups.map((group) => startGroup(group, start))), start.signal);
}

async function startGroup(group: Group, { supervisor, specs, signal }: Start): Promise<void> {
  for (const stage of group) {
    // A server may answer while it is being stopped.
    signal.throwIfAborted();
    await Promise.all(
      stage.map((step) => {
        if (typeof step === 'function') return step();
        specs.set(step.name, step);
        return supervisor.start(step);
      }),
    );
  }
}

/**
 * Begins the work of a start and waits for it, unless `signal` is aborted first; later errors of the work are
 * ignored. @throws JobledgerError when it is aborted.
 */
export async function waitUnlessAborted(begin: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new JobledgerError('the start was cancelled')), {
      once: true,
    });
  });
  const work = begin();
  work.catch(() => undefined);
  aborted.catch(() => undefined);
  await Promise.race([work, aborted]);
}
