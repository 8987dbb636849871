import path from 'node:path';
import { followLog } from '../../../infra/processes/logs.ts';
import { SERVICES } from './service-children.ts';

const WARNING = 40;

/** Repeats what services log at level warning and above, until the signal is aborted. */
export function echoWarnings(
  logsDir: string,
  around: { say: (line: string) => void; signal: AbortSignal },
): void {
  for (const name of SERVICES) {
    const stop = followLog(path.join(logsDir, `${name}.log`), (line) => {
      if (isWarning(line)) around.say(`${name}: ${line}`);
    });
    around.signal.addEventListener('abort', stop, { once: true });
  }
}

/** A line that is not structured is a program's last words, or close to it. */
function isWarning(line: string): boolean {
  try {
    return ((JSON.parse(line) as { level?: number }).level ?? 0) >= WARNING;
  } catch {
    return true;
  }
}
