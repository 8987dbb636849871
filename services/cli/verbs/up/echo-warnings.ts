import path from 'node:path';
import { followLog } from '../../../../infra/processes/logs.ts';
import { SERVICES } from './service-children.ts';

const WARNING = 40;

/** Repeats what services log at level warning and above; returns how to stop. */
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

/** A line that is not structured is a program's last words, or close to it. */
function isWarning(line: string): boolean {
  try {
    return ((JSON.parse(line) as { level?: number }).level ?? 0) >= WARNING;
  } catch {
    return true;
  }
}
