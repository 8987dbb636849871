import path from 'node:path';
import { followLog } from '../../../infra/processes/logs.ts';
import { SERVICES } from './service-children.ts';

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
