import path from 'node:path';
import type { ChildSpec, Failure } from '../../../infra/processes/keep-running.ts';
import type { RunningChild } from '../../../infra/processes/child.ts';
import { lastLines, followLog } from '../../../infra/processes/logs.ts';
import { nodeCommand } from '../../../infra/node-command.ts';
import { STOP } from '../../../infra/local/stop-order.ts';
import { InputError, type JobledgerError } from '../../../services/adapters/errors.ts';

/** The services that `up` runs. */
export const SERVICES = ['ingester', 'dispatcher', 'worker', 'projector', 'api'] as const;

const METRICS_ADDRESS = 'JOBLEDGER_METRICS_ADDRESS';
const KUBECONFIG = 'JOBLEDGER_KUBECONFIG';

/** EX_CONFIG of sysexits.h: the configuration is wrong, and a restart does not help. */
const BAD_CONFIGURATION = 78;

export type ServiceName = (typeof SERVICES)[number];

/**
 * The services as child processes with an IPC channel, on which they report that they are ready. `metrics`: metrics
 * address of each service, `kubeconfigs`: kubeconfig of each service; both override the environment.
 */
export function serviceChildren(
  environment: NodeJS.ProcessEnv,
  metrics: Partial<Record<ServiceName, string>> = {},
  kubeconfigs: Partial<Record<ServiceName, string>> = {},
): ChildSpec[] {
  return SERVICES.map((name) => ({
    name,
    ...STOP.service,
    command: () => ({
      ...nodeCommand(path.join('services', name, 'main.ts')),
      env: {
        ...environment,
        ...(metrics[name] !== undefined && { [METRICS_ADDRESS]: metrics[name] }),
        ...(kubeconfigs[name] !== undefined && { [KUBECONFIG]: path.resolve(kubeconfigs[name]) }),
      },
      ipc: true,
    }),
    ready: saysReady,
    fatalCodes: [BAD_CONFIGURATION],
  }));
}

function saysReady(child: RunningChild): Promise<void> {
  return new Promise((resolve) => {
    child.process.on('message', (message) => {
      if (isReady(message)) resolve();
    });
  });
}

function isReady(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

/** The reason why `up` ends: the service's own message when its configuration is wrong. */
export function errorOf(failure: Failure): JobledgerError {
  if (failure.exit.code !== BAD_CONFIGURATION) return failure.error;
  return new InputError(lastPlainWords(failure.logFile) ?? failure.error.message);
}

/** The last lines of a log that are not JSON. */
function lastPlainWords(logFile: string): string | undefined {
  const isStructured = (line: string): boolean => line.startsWith('{');
  const lines = lastLines(logFile, 50);
  const end = lines.findLastIndex((line) => !isStructured(line)) + 1;
  const start = lines.slice(0, end).findLastIndex(isStructured) + 1;
  const words = lines.slice(start, end).join('\n');
  return words === '' ? undefined : words;
}

const WARNING = 40;

/** Prints log lines of the services from level warning on; returns a function that stops this. */
export function echoWarnings(logsDir: string, say: (line: string) => void): () => void {
  const stops = SERVICES.map((name) =>
    followLog(path.join(logsDir, `${name}.log`), (line) => {
      if (isWarning(line)) say(`${name}: ${line}`);
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
