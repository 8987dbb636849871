import { InputError, errorMessage } from '../errors.ts';
import { EX_CONFIG } from './exit-status.ts';
import { createLog, type Log } from './log.ts';
import { announceReady, listenForShutdown, type Shutdown } from './shutdown.ts';

/** A program of an installation. */
export interface Service {
  readonly name: string;
  /** Starts the service and returns when it is running. An error that it throws ends the service. */
  readonly start: (context: ServiceContext) => Promise<void>;
}

/** What a service gets from the process that runs it. */
export interface ServiceContext {
  /** The variables that configure the service. */
  environment: NodeJS.ProcessEnv;
  log: Log;
  shutdown: Shutdown;
  /** Ends the service with EX_CONFIG, because it cannot run with this configuration and a restart does not help. */
  refuse: (error: InputError) => void;
  /** Reports that the service is ready, with details for the log. */
  announceReady: (detail: Record<string, unknown>) => void;
}

/** Returns a handler for `catch`, which ends the service if the error is an InputError, and throws the error in any case. */
export function refuseInput(refuse: ServiceContext['refuse']): (error: unknown) => never {
  return (error) => {
    if (error instanceof InputError) refuse(error);
    throw error;
  };
}

/**
 * Starts a service as the only one of this process, with a log, an orderly shutdown and exit statuses. Resolves when the
 * service has started, or has failed to start.
 */
export async function runService(service: Service): Promise<void> {
  const log = createLog(service.name);
  const shutdown = listenForShutdown(log);
  process.on('unhandledRejection', (error) => endUnhandled(error, { log, shutdown }));
  const announce: ServiceContext['announceReady'] = (detail) => announceReady(log, detail);
  await startService(service, { environment: process.env, log, shutdown, announceReady: announce });
}

/** Logs an unhandled rejection, and ends the service with status 1. */
export function endUnhandled(
  error: unknown,
  { log, shutdown }: Pick<ServiceContext, 'log' | 'shutdown'>,
): void {
  log.error({ error: errorMessage(error) }, 'unhandled rejection');
  shutdown.stop(1);
}

/**
 * Starts a service within a given log and shutdown, for a process that may run several services. An error ends the service:
 * with EX_CONFIG for an InputError, otherwise with 1. An error after the shutdown began is ignored.
 */
export async function startService(
  { name, start }: Service,
  context: Omit<ServiceContext, 'refuse'>,
): Promise<void> {
  const { log, shutdown } = context;
  const refuse = (error: InputError): void => {
    process.stderr.write(`${name}: ${error.message}\n`);
    shutdown.stop(EX_CONFIG);
  };
  try {
    await start({ ...context, refuse });
  } catch (error) {
    if (shutdown.signal.aborted) return;
    log.fatal({ error: errorMessage(error) }, 'cannot run');
    if (error instanceof InputError) refuse(error);
    else shutdown.stop(1);
  }
}
