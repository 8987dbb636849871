import path from 'node:path';
import { followLog } from '../../../infra/local/processes/logs.ts';

/** The wait before a new report, in milliseconds. */
const FIRST_MS = 5000;
/** The first wait before a report is repeated, in milliseconds; each repetition doubles the wait. */
const REMIND_MS = 15_000;
const POLL_MS = 1000;
const [WARNING, ERROR, FATAL] = [40, 50, 60];

/** The reported fields of a log line. */
interface LogLine {
  level: number;
  msg?: string;
  error?: string;
  cluster?: string;
  /** The holder of the Lease that this service waits for. */
  holder?: string;
}

/**
 * Reports the services that are not ready yet, with the reasons from their logs, until all services are ready. Reports new errors at once. Returns a
 * function that stops the reports.
 */
export function reportWaiting(
  starting: ReadonlyMap<string, Promise<void>>,
  { logsDir, report }: { logsDir: string; report: (line: string) => void },
): () => void {
  const waiting = new Set(starting.keys());
  const reasons = new Map<string, string>();
  const stops = [...starting].map(([name, ready]) => {
    ready.then(
      () => waiting.delete(name),
      () => undefined,
    );
    return followLog(path.join(logsDir, `${name}.log`), (written) => {
      const line = parseLine(written);
      if (line === null || line.level < WARNING || line.level >= FATAL) return;
      const text = asText(line);
      const isNews = reasons.get(name) !== text;
      reasons.set(name, text);
      if (isNews && (line.level >= ERROR || line.holder !== undefined)) report(`${name}: ${text}`);
    });
  });
  let reported = { text: '', at: performance.now(), remindMs: REMIND_MS };
  const timer = setInterval(() => {
    const lines = linesFor([...waiting], reasons);
    const text = lines.join('\n');
    const isNews = text !== reported.text;
    const wait = isNews ? FIRST_MS : reported.remindMs;
    if (lines.length === 0 || performance.now() - reported.at < wait) return;
    lines.forEach(report);
    reported = { text, at: performance.now(), remindMs: isNews ? REMIND_MS : 2 * wait };
  }, POLL_MS);
  return () => {
    clearInterval(timer);
    for (const stop of stops) stop();
  };
}

/** One line for each service with a known reason, and one line for all other services. */
export function linesFor(waiting: readonly string[], reasons: ReadonlyMap<string, string>): string[] {
  const silent = waiting.filter((name) => !reasons.has(name));
  return [
    ...waiting.flatMap((name) => {
      const reason = reasons.get(name);
      return reason === undefined ? [] : [`waiting for ${name}: ${reason}`];
    }),
    ...(silent.length === 0 ? [] : [`waiting for ${silent.join(', ')}`]),
  ];
}

/** Parses a line of a log; null for a line that is not JSON. */
function parseLine(text: string): LogLine | null {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return null;
  }
}

/** The reported text of a log line. */
function asText({ msg = '', error, cluster, holder }: LogLine): string {
  const about = cluster === undefined ? '' : `cluster "${cluster}": `;
  const parts = [`${about}${msg}`, holder === undefined ? '' : `the Lease is held by ${holder}`, error ?? ''];
  return parts.filter((part) => part !== '').join(': ');
}
