import { errorMessage } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { createNotifier } from '../../adapters/waiting/notifier.ts';

export interface SuperviseDependencies {
  /** The id of Temporal's namespace, which changes when Temporal loses its database. */
  namespaceId: () => Promise<string>;
  ensureWorkflows: () => Promise<void>;
  signalSettings: (aborted: AbortSignal) => Promise<void>;
  restartFailed: () => Promise<void>;
  /** Resolves to true when no run is left to take over. */
  takeOver: () => Promise<boolean>;
  aborted: AbortSignal;
  log: Log;
}

export interface Supervise {
  /** Called after each rebalance. */
  assigned(): void;
  /** Called when this dispatcher has gained partitions. */
  taken(): void;
}

const CHECK_MS = 2000;

/**
 * Ensures workflows when partitions were gained, and again when Temporal was down or came back with another database.
 * Takes over runs of other builds at the start and after each rebalance: in a rolling upgrade, a rebalance follows the
 * stop of the last old dispatcher.
 */
export function superviseRuns(dependencies: SuperviseDependencies): Supervise {
  const due = { ensureWorkflows: false, takeOver: true };
  const taken = createNotifier();
  dependencies.aborted.addEventListener('abort', taken.notify, { once: true });
  void runStepsRepeatedly(dependencies, due, () => taken.next(CHECK_MS));
  return {
    assigned: () => void (due.takeOver = true),
    taken: () => {
      due.ensureWorkflows = true;
      taken.notify();
    },
  };
}

/** Runs the due steps after each rest, until `aborted`; after a failure, all steps are tried again. */
async function runStepsRepeatedly(
  {
    namespaceId,
    ensureWorkflows,
    signalSettings,
    restartFailed,
    takeOver,
    aborted,
    log,
  }: SuperviseDependencies,
  due: { ensureWorkflows: boolean; takeOver: boolean },
  rest: () => Promise<void>,
): Promise<void> {
  let known = await namespaceId().catch(() => '');
  /** The step that failed last. A failure is logged once, until another step fails or all steps succeed. */
  let failed = '';
  while (!aborted.aborted) {
    await rest();
    let step = 'Temporal does not answer; waiting for it';
    try {
      const now = await namespaceId();
      if (failed !== '' || now !== known) due.ensureWorkflows = true;
      known = now;
      // Each flag is cleared before its step, because the step may become due again while the step runs.
      if (due.ensureWorkflows) {
        step = 'the missing workflows of live Jobs could not be started; trying again';
        due.ensureWorkflows = false;
        await ensureWorkflows();
      }
      step = 'the settings could not be signalled to waiting runs; trying again';
      await signalSettings(aborted);
      step = 'failed runs could not be replaced; trying again';
      await restartFailed();
      if (due.takeOver) {
        step = 'runs of another build could not be taken over; trying again';
        due.takeOver = false;
        due.takeOver = !(await takeOver()) || due.takeOver;
      }
      failed = '';
    } catch (error) {
      if (failed !== step) log.warn({ error: errorMessage(error) }, step);
      [failed, due.takeOver] = [step, true];
    }
  }
}
