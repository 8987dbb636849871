import { pino, type Logger } from 'pino';

export type Log = Logger;

/**
 * The structured log of one process: JSON lines on standard error, level by `JOBLEDGER_LOG_LEVEL`.
 * Fields that could hold a credential are cut out here, whoever logs them.
 */
export function createLog(service: string): Log {
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
    pino.destination({ dest: 2, sync: true }),
  );
}

/** For who tells a person what happened in words of its own: what the parts say of themselves goes nowhere. */
export function silentLog(): Log {
  return pino({ level: 'silent' });
}
