import { AsyncLocalStorage } from 'node:async_hooks';
import path from 'node:path';
import { countDeaths } from '../../../infra/local/processes/deaths.ts';
import { openLog } from '../../../infra/local/processes/logs.ts';
import { EX_CONFIG, EX_SOFTWARE } from '../../../services/adapters/process/exit-status.ts';
import { createLog, type Log } from '../../../services/adapters/process/log.ts';
import { endUnhandled, startService, type Service } from '../../../services/adapters/process/run-service.ts';
import {
  CLOSE_LIMIT_MS,
  createShutdown,
  onEndSignal,
  type Shutdown,
} from '../../../services/adapters/process/shutdown.ts';
import { pause } from '../../../services/adapters/waiting/pause.ts';
import { report } from '../../output.ts';
import { isServiceName, type ServiceName, type TogetherOptions } from './service-children.ts';

// Runs the services that the first argument names (TogetherOptions as JSON) in this process. If a service ends, only this service is started again.

const LOAD: Record<ServiceName, () => Promise<Service>> = {
  ingester: async () => (await import('../../../services/ingester/service.ts')).service,
  dispatcher: async () => (await import('../../../services/dispatcher/service.ts')).service,
  worker: async () => (await import('../../../services/worker/service.ts')).service,
  projector: async () => (await import('../../../services/projector/service.ts')).service,
  api: async () => (await import('../../../services/api/service.ts')).service,
};

interface Life {
  readonly log: Log;
  readonly shutdown: Shutdown;
}

const { logsDir, own } = JSON.parse(process.argv[2] ?? '') as TogetherOptions;
const running = new Map<string, Life>();
/** The service to which an unhandled error belongs. */
const current = new AsyncLocalStorage<Life>();
const ending = new AbortController();
let exitCode = 0;

onEndSignal(() => end(0));
process.on('unhandledRejection', (error) => {
  const life = current.getStore();
  if (life === undefined) throw error;
  endUnhandled(error, life);
});
await Promise.all(
  Object.entries(own).map(async ([name, variables]) => {
    if (!isServiceName(name)) throw new Error(`no service is named ${name}`);
    await keepRunning(await LOAD[name](), variables);
  }),
);
process.exit(exitCode);

/** Ends all services, and the process with this status. */
function end(status: number): void {
  if (ending.signal.aborted) return;
  exitCode = status;
  ending.abort();
  for (const { shutdown } of running.values()) shutdown.stop(status);
  setTimeout(() => process.exit(status), CLOSE_LIMIT_MS).unref();
}

/** Runs a service until the process ends. */
async function keepRunning(service: Service, variables: Readonly<Record<string, string>>): Promise<void> {
  const { name } = service;
  const log = createLog(name, openLog(path.join(logsDir, `${name}.log`)));
  const deaths = countDeaths();
  while (!ending.signal.aborted) {
    const status = await runOnce(service, { ...process.env, ...variables }, log);
    if (ending.signal.aborted) return;
    deaths.note();
    const reason = deaths.tooMany();
    if (status === EX_CONFIG) return end(EX_CONFIG);
    if (reason !== undefined) {
      report(`${name} ${reason}; its log is ${path.join(logsDir, `${name}.log`)}`);
      return end(EX_SOFTWARE);
    }
    report(`the service ${name} ended with status ${status} and is being restarted`);
    await pause(deaths.pause(), ending.signal);
  }
}

/** Returns the exit status with which the service has ended. */
function runOnce(service: Service, environment: NodeJS.ProcessEnv, log: Log): Promise<number> {
  return new Promise((resolve) => {
    const shutdown = createShutdown(log, (status, isClosed) => {
      running.delete(service.name);
      // A service that has not closed its connections could continue its work beside its successor, so the process ends.
      if (!isClosed) process.exit(status);
      resolve(status);
    });
    running.set(service.name, { log, shutdown });
    // Logs that the service is ready, and reports this to the parent process.
    const announceReady = (detail: Record<string, unknown>): void => {
      log.info(detail, 'ready');
      process.send?.({ type: 'ready', service: service.name });
    };
    current.run({ log, shutdown }, () => {
      void startService(service, { environment, log, shutdown, announceReady });
    });
  });
}
