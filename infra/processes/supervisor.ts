import path from 'node:path';
import { JobledgerError } from '../../services/adapters/errors.ts';
import { deferred } from './deferred.ts';
import { keepRunning, type ChildSpec, type Failure, type KeptChild } from './keep-running.ts';

/** Processes that are kept running together and stopped in order. */
export interface Supervisor {
  /** Starts a child, or one that was halted again; resolves when it answers. */
  readonly start: (spec: ChildSpec) => Promise<void>;
  /** Resolves when the child answers, after a restart too. */
  readonly answers: (name: string) => Promise<void>;
  /** Stops one child and leaves it stopped. */
  readonly halt: (name: string) => Promise<void>;
  /** SIGKILL: the child is started again. Resolves when it is gone. */
  readonly kill: (name: string) => Promise<void>;
  readonly pid: (name: string) => number | undefined;
  /** Stops all, stage by stage. */
  readonly stop: () => Promise<void>;
  /** Resolves when a child cannot be kept running. Never rejects. */
  readonly failed: Promise<Failure>;
}

/** Keeps processes running: one that dies is started again; five deaths of one in a minute, `kill` not counted, are a failure. */
export function createSupervisor(at: {
  runDir: string;
  logsDir: string;
  say: (line: string) => void;
}): Supervisor {
  const children = new Map<string, KeptChild>();
  let stopping = false;
  const failure = deferred<Failure>();

  const childNamed = (name: string): KeptChild => {
    const child = children.get(name);
    if (child !== undefined) return child;
    throw new JobledgerError(
      `nothing named ${name} is supervised; there are: ${[...children.keys()].join(', ')}`,
    );
  };
  const untilAnswering = async (child: KeptChild): Promise<void> => {
    const failed = await Promise.race([child.answers(), failure.promise]);
    if (failed !== undefined) throw failed.error;
  };

  return {
    failed: failure.promise,
    async start(spec) {
      if (stopping) throw new JobledgerError(`${spec.name} is not started: everything is being stopped`);
      const logFile = path.join(at.logsDir, `${spec.name}.log`);
      const child = keepRunning(spec, { runDir: at.runDir, logFile, say: at.say, fail: failure.resolve });
      children.set(spec.name, child);
      await untilAnswering(child);
    },
    answers: (name) => untilAnswering(childNamed(name)),
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
