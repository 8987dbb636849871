import path from 'node:path';
import { JobledgerError } from '../../../services/adapters/errors.ts';
import { keepRunning, type ChildSpec, type Failure, type KeptChild } from './keep-running.ts';

/** Runs several processes, restarts them when they die, and stops them in order. */
export interface Supervisor {
  /** Starts a child, even one that was halted; resolves when it is ready. */
  readonly start: (spec: ChildSpec) => Promise<void>;
  /** Resolves when the child is ready, also after a restart. */
  readonly answers: (name: string) => Promise<void>;
  /** Stops one child without a restart. */
  readonly halt: (name: string) => Promise<void>;
  /** Sends SIGKILL. Resolves when the process has exited; the child is then restarted. */
  readonly kill: (name: string) => Promise<void>;
  readonly pid: (name: string) => number | undefined;
  /** Stops all children, stage by stage. */
  readonly stop: () => Promise<void>;
  /** Resolves when a child is abandoned. Never rejects. */
  readonly failed: Promise<Failure>;
}

/** Creates a supervisor. A child that dies is restarted; five deaths of one child within a minute are a failure (`kill` does not count). */
export function createSupervisor(at: {
  runDir: string;
  logsDir: string;
  report: (line: string) => void;
}): Supervisor {
  const children = new Map<string, KeptChild>();
  let stopping = false;
  const failure = Promise.withResolvers<Failure>();

  const childNamed = (name: string): KeptChild => {
    const child = children.get(name);
    if (child !== undefined) return child;
    throw new JobledgerError(
      `no supervised process is named ${name}; there are: ${[...children.keys()].join(', ')}`,
    );
  };
  const waitUntilReady = async (child: KeptChild): Promise<void> => {
    const failed = await Promise.race([child.answers(), failure.promise]);
    if (failed !== undefined) throw failed.error;
  };

  return {
    failed: failure.promise,
    async start(spec) {
      if (stopping) throw new JobledgerError(`${spec.name} cannot be started: the supervisor is stopping`);
      const logFile = path.join(at.logsDir, `${spec.name}.log`);
      const child = keepRunning(spec, {
        runDir: at.runDir,
        logFile,
        report: at.report,
        fail: failure.resolve,
      });
      children.set(spec.name, child);
      await waitUntilReady(child);
    },
    answers: (name) => waitUntilReady(childNamed(name)),
    halt: (name) => childNamed(name).halt(),
    kill: (name) => childNamed(name).kill(),
    pid: (name) => childNamed(name).current()?.process.pid,
    async stop() {
      stopping = true;
      await stopByStage([...children.values()]);
    },
  };
}

async function stopByStage(children: readonly KeptChild[]): Promise<void> {
  const stages = [...new Set(children.map((child) => child.spec.stage))].toSorted((a, b) => b - a);
  for (const stage of stages) {
    await Promise.all(children.filter((child) => child.spec.stage === stage).map((child) => child.halt()));
  }
}
