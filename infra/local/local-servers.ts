import { JobledgerError } from '../../services/adapters/errors.ts';
import type { ChildSpec, Failure } from './processes/keep-running.ts';
import { endLeftovers } from './processes/leftovers.ts';
import { startGroups } from './processes/start-groups.ts';
import { createSupervisor, type Supervisor } from './processes/supervisor.ts';
import { publishAddresses, withdrawAddresses, type Addresses } from './state/addresses.ts';
import { makePlan, type PlanOptions } from './plan.ts';
import { openStateDirectory } from './state/state-directory.ts';

export interface LocalServerOptions extends PlanOptions {
  readonly stateDir: string;
  /** The program that starts the servers, for the error message of a second start. */
  readonly purpose?: string;
  /** Reports builds and restarts, one line each. Default: writes to standard error. */
  readonly report?: (line: string) => void;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

/** Real servers that run as children of this process. */
export interface LocalServers {
  readonly addresses: Addresses;
  /** `postgres`, `kafka`, `temporal`, and for a cluster `<name>-etcd`, `<name>-kube-apiserver`, … */
  readonly names: readonly string[];
  /** Sends SIGKILL; the server is then restarted. The promise resolves when the process has exited. */
  kill(name: string): Promise<void>;
  /** Resolves when the server is ready, also after a restart. */
  answers(name: string): Promise<void>;
  /** Stops one server until `start` is called for it. */
  halt(name: string): Promise<void>;
  start(name: string): Promise<void>;
  pid(name: string): number | undefined;
  stop(): Promise<void>;
  /** Resolves when a server has died too often and is abandoned. */
  readonly failed: Promise<Failure>;
}

/**
 * Starts real servers on loopback ports, with their data below `stateDir`, and waits until all are ready.
 * @throws InputError when the directory or a port is in use, or a prerequisite is missing.
 */
export async function startLocalServers(options: LocalServerOptions): Promise<LocalServers> {
  const report = options.report ?? ((line: string) => void process.stderr.write(`${line}\n`));
  const signal = options.signal ?? new AbortController().signal;
  const state = openStateDirectory(options.stateDir, 'servers', options.purpose ?? 'jobledger admin servers');
  const supervisor = createSupervisor({
    runDir: state.at('run', 'servers'),
    logsDir: state.at('logs'),
    report,
  });
  const stop = async (): Promise<void> => {
    withdrawAddresses(state.dir, 'servers');
    await supervisor.stop();
    state.release();
  };
  try {
    const left = await endLeftovers(state.at('run', 'servers'));
    if (left.length > 0) report(`ended processes that a killed run had left behind: ${left.join(', ')}`);
    const plan = await makePlan(options, { state, report, signal });
    const specs = new Map<string, ChildSpec>();
    await startGroups(plan.groups, { supervisor, specs, signal });
    publishAddresses(state.dir, 'servers', plan.addresses);
    return { ...serverControls(supervisor, specs), addresses: plan.addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The functions that control single servers by name. */
function serverControls(
  supervisor: Supervisor,
  specs: Map<string, ChildSpec>,
): Omit<LocalServers, 'addresses' | 'stop'> {
  const start = async (name: string): Promise<void> => {
    const spec = specs.get(name);
    if (spec === undefined)
      throw new JobledgerError(`no server is named ${name}; there are: ${[...specs.keys()].join(', ')}`);
    await supervisor.start(spec);
  };
  const { kill, answers, halt, pid, failed } = supervisor;
  return { names: [...specs.keys()], kill, answers, halt, start, pid, failed };
}
