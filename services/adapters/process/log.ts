import { pino, type Logger } from 'pino';

export type Log = Logger;

/** The file descriptor of standard error. */
const STANDARD_ERROR = 2;

/**
 * The structured log of one service: JSON lines in an open file. `JOBLEDGER_LOG_LEVEL` sets the level.
 * Fields that could contain a credential are redacted here, for every caller.
 */
export function createLog(service: string, file: number = STANDARD_ERROR): Log {
  return pino(
    {
      base: { service },
      level: process.env['JOBLEDGER_LOG_LEVEL'] ?? 'info',
      redact: {
        paths: ['password', 'token', 'authorization', '*.password', '*.token', '*.authorization'],
        censor: '[redacted]',
      },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: file, sync: true }),
  );
}

/** Discards everything. The log is for commands that report to the user themselves. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
