import path from 'node:path';
import type { ChildSpec, Failure } from '../../../infra/local/processes/keep-running.ts';
import type { RunningChild } from '../../../infra/local/processes/child.ts';
import { followLog } from '../../../infra/local/processes/logs.ts';
import { nodeCommand } from '../../../infra/local/processes/child.ts';
import { STOP } from '../../../infra/local/processes/stop-order.ts';
import { EX_CONFIG, EX_SOFTWARE } from '../../../services/adapters/process/exit-status.ts';
import { InputError, JobledgerError } from '../../../services/adapters/errors.ts';

/** The services that `up` runs. */
export const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector', 'api'] as const;

const METRICS_ADDRESS = 'JOBLEDGER_METRICS_ADDRESS';
const KUBECONFIG = 'JOBLEDGER_KUBECONFIG';

export type ServiceName = (typeof SERVICES)[number];

export function isServiceName(text: string): text is ServiceName {
  return (SERVICES as readonly string[]).includes(text);
}

/** The argument of the process that runs several services. */
export interface TogetherOptions {
  /** The directory in which each service writes its `<name>.log`. */
  readonly logsDir: string;
  /** The services, each with its own environment variables. */
  readonly own: Readonly<Partial<Record<ServiceName, Readonly<Record<string, string>>>>>;
}

/** The variables that differ between the services; they override the environment. */
interface OwnSettings {
  /** The metrics address of each service. */
  readonly metrics?: Partial<Record<ServiceName, string>>;
  readonly kubeconfigs?: Partial<Record<ServiceName, string>> | undefined;
}

/** The environment variables of one service. */
function ownVariables(
  name: ServiceName,
  { metrics = {}, kubeconfigs = {} }: OwnSettings,
): Record<string, string> {
  return {
    ...(metrics[name] !== undefined && { [METRICS_ADDRESS]: metrics[name] }),
    ...(kubeconfigs[name] !== undefined && { [KUBECONFIG]: path.resolve(kubeconfigs[name]) }),
  };
}

/** The specification of each service as a child process with an IPC channel, on which the service reports that it is ready. */
export function serviceChildren(environment: NodeJS.ProcessEnv, own: OwnSettings = {}): ChildSpec[] {
  return SERVICES.map((name) => ({
    name,
    ...STOP.service,
    command: () => ({
      ...nodeCommand(path.join('services', name, 'main.ts')),
      env: { ...environment, ...ownVariables(name, own) },
      ipc: true,
    }),
    ready: (child) => whenReady(child, [name]),
    fatalCodes: [EX_CONFIG],
  }));
}

/** The specification of one child process for the services, which is ready when all services are ready. Calls `onReady` for each ready service. */
export function servicesTogether(
  environment: NodeJS.ProcessEnv,
  {
    names,
    logsDir,
    onReady,
    ...own
  }: OwnSettings & {
    names: readonly ServiceName[];
    logsDir: string;
    onReady?: (name: string) => void;
  },
): ChildSpec {
  const options: TogetherOptions = {
    logsDir,
    own: Object.fromEntries(names.map((name) => [name, ownVariables(name, own)])),
  };
  const program = nodeCommand(path.join('cli', 'verbs', 'up', 'services-together.ts'));
  return {
    name: 'services',
    ...STOP.service,
    command: () => ({
      ...program,
      args: [...program.args, JSON.stringify(options)],
      env: environment,
      ipc: true,
    }),
    ready: (child) => whenReady(child, names, onReady),
    fatalCodes: [EX_CONFIG, EX_SOFTWARE],
  };
}

/** Resolves when the child process has reported that all named services are ready. */
function whenReady(
  child: RunningChild,
  names: readonly string[],
  onReady: (name: string) => void = () => undefined,
): Promise<void> {
  const waiting = new Set(names);
  return new Promise((resolve) => {
    child.process.on('message', (message) => {
      if (!isReady(message)) return;
      // A process with a single service does not name the service in its message.
      const name = message.service ?? names[0] ?? '';
      onReady(name);
      if (waiting.delete(name) && waiting.size === 0) resolve();
    });
  });
}

/** True for the message that a service is ready. */
function isReady(message: unknown): message is { service?: string } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

/** The reason why `up` ends: the service's own message when its configuration is wrong. */
export function failureError(failure: Failure): JobledgerError {
  const message = lastPlainText(failure.lastLines) ?? failure.error.message;
  if (failure.exit.code === EX_CONFIG) return new InputError(message);
  return failure.exit.code === EX_SOFTWARE ? new JobledgerError(message) : failure.error;
}

/** The last log lines that are not JSON. */
function lastPlainText(lines: readonly string[]): string | undefined {
  // True for a log line in JSON.
  const isStructured = (line: string): boolean => line.startsWith('{');
  const end = lines.findLastIndex((line) => !isStructured(line)) + 1;
  const start = lines.slice(0, end).findLastIndex(isStructured) + 1;
  const message = lines.slice(start, end).join('\n');
  return message === '' ? undefined : message;
}

const WARNING = 40;

/** Prints the services' log lines of level warning or higher; returns a function that stops the printing. */
export function echoWarnings(logsDir: string, report: (line: string) => void): () => void {
  const stops = ['services', ...SERVICES].map((name) =>
    followLog(path.join(logsDir, `${name}.log`), (line) => {
      if (isWarning(line)) report(`${name}: ${line}`);
    }),
  );
  return () => {
    for (const stop of stops) stop();
  };
}

/** A line that is not JSON counts as a warning: it usually comes from a crash. */
function isWarning(line: string): boolean {
  try {
    return ((JSON.parse(line) as { level?: number }).level ?? 0) >= WARNING;
  } catch {
    return true;
  }
}
