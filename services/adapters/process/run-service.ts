import { InputError, errorMessage } from '../errors.ts';
import { EX_CONFIG } from './exit-status.ts';
import { createLog, type Log } from './log.ts';
import { announceReady, listenForShutdown, type Shutdown } from './shutdown.ts';

/** A program of an installation. */
export interface Service {
  readonly name: string;
  /** Starts the service and returns when it is running. An error that it throws ends the service. */
  readonly start: (frame: Frame) => Promise<void>;
}

export interface Frame {
  /** The variables that configure the service. */
  environment: NodeJS.ProcessEnv;
  log: Log;
  shutdown: Shutdown;
  /** Ends the service with EX_CONFIG, because it cannot run with this configuration and a restart does not help. */
  refuse: (error: InputError) => void;
  /** Reports that the service is ready, with details for the log. */
  announceReady: (detail: Record<string, unknown>) => void;
}

/** Ends the service after a failure that is an InputError. @throws the error in any case. */
export function refuseInput(refuse: Frame['refuse']): (error: unknown) => never {
  return (error) => {
    if (error instanceof InputError) refuse(error);
    throw error;
  };
}

/** Runs a service in this process, with a log, an orderly shutdown and exit statuses. */
export async function runService(service: Service): Promise<void> {
  const log = createLog(service.name);
  const shutdown = listenForShutdown(log);
  process.on('unhandledRejection', (error) => endUnhandled(error, { log, shutdown }));
  const announce: Frame['announceReady'] = (detail) => announceReady(log, detail);
  await startService(service, { environment: process.env, log, shutdown, announceReady: announce });
}

/** Ends the service after an error that no code handles. */
export function endUnhandled(error: unknown, { log, shutdown }: Pick<Frame, 'log' | 'shutdown'>): void {
  log.error({ error: errorMessage(error) }, 'unhandled rejection');
  shutdown.stop(1);
}

/** Starts a service; an error ends the process. */
export async function startService({ name, start }: Service, frame: Omit<Frame, 'refuse'>): Promise<void> {
  const { log, shutdown } = frame;
  const refuse = (error: InputError): void => {
    process.stderr.write(`${name}: ${error.message}\n`);
    shutdown.stop(EX_CONFIG);
  };
  try {
    await start({ ...frame, refuse });
  } catch (error) {
    if (shutdown.signal.aborted) return;
    log.fatal({ error: errorMessage(error) }, 'cannot run');
    if (error instanceof InputError) refuse(error);
    else shutdown.stop(1);
  }
}
