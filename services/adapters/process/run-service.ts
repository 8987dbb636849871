import { InputError, messageOf } from '../errors.ts';
import { createLog, type Log } from './log.ts';
import { listenForShutdown, type Shutdown } from './shutdown.ts';

/** Exit status for an unusable configuration (EX_CONFIG): restarting does not help. */
const EX_CONFIG = 78;

export interface Frame {
  log: Log;
  shutdown: Shutdown;
  /** Ends the process with EX_CONFIG: it cannot run with this configuration, and restarting does not help. */
  refuse: (error: InputError) => void;
}

/** For a failure after the start: ends the process when it is an InputError. @throws the error in any case. */
export function refuseInput(refuse: Frame['refuse']): (error: unknown) => never {
  return (error) => {
    if (error instanceof InputError) refuse(error);
    throw error;
  };
}

/**
 * Runs a service with a log, an orderly shutdown and exit statuses. `start` returns when the service is running; an
 * error that it throws ends the process.
 */
export async function runService(name: string, start: (frame: Frame) => Promise<void>): Promise<void> {
  const log = createLog(name);
  const shutdown = listenForShutdown(log);
  process.on('unhandledRejection', (error) => {
    log.error({ error: messageOf(error) }, 'unhandled rejection');
    shutdown.stop(1);
  });
  const refuse = (error: InputError): void => {
    process.stderr.write(`${name}: ${error.message}\n`);
    shutdown.stop(EX_CONFIG);
  };
  try {
    await start({ log, shutdown, refuse });
  } catch (error) {
    if (shutdown.signal.aborted) return;
    log.fatal({ error: messageOf(error) }, 'cannot run');
    if (error instanceof InputError) refuse(error);
    else shutdown.stop(1);
  }
}
