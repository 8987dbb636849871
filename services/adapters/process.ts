import { InputError, messageOf } from './errors.ts';
import { createLog, type Log } from './log.ts';
import { listenForShutdown, type Shutdown } from './shutdown.ts';

/** Exit status for a configuration that cannot work (EX_CONFIG): starting again would not help. */
const EX_CONFIG = 78;

export interface Frame {
  log: Log;
  shutdown: Shutdown;
  /** Ends the process: it cannot work here, and starting it again would not help. */
  refuse: (error: InputError) => void;
}

/**
 * The frame of every service: log, orderly stop, and exit statuses. `start` returns when the service is running; what it
 * throws ends the process.
 */
export async function runService(name: string, start: (frame: Frame) => Promise<void>): Promise<void> {
  const log = createLog(name);
  const shutdown = listenForShutdown(log);
  process.on('unhandledRejection', (error) => {
    log.error({ error: messageOf(error) }, 'a failure that nobody expected');
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
