import { InputError, messageOf } from './errors.ts';
import { createLog, type Log } from './log.ts';
import { listenForShutdown, type Shutdown } from './shutdown.ts';

/** Exit status for a configuration that cannot work (EX_CONFIG): starting again would not help. */
const EX_CONFIG = 78;

/**
 * The frame of every service: log, orderly stop, and exit statuses. `start` returns when the service is running; what it
 * throws ends the process.
 */
export async function runService(
  name: string,
  start: (frame: { log: Log; shutdown: Shutdown }) => Promise<void>,
): Promise<void> {
  const log = createLog(name);
  const shutdown = listenForShutdown(log);
  process.on('unhandledRejection', (error) => {
    log.error({ error: messageOf(error) }, 'a failure that nobody expected');
    shutdown.stop(1);
  });
  try {
    await start({ log, shutdown });
  } catch (error) {
    if (shutdown.signal.aborted) return;
    log.fatal({ error: messageOf(error) }, 'cannot run');
    if (error instanceof InputError) process.stderr.write(`${name}: ${error.message}\n`);
    shutdown.stop(error instanceof InputError ? EX_CONFIG : 1);
  }
}
