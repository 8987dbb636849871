import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The files that one run of a container leaves. All outlive the agent. */
export interface AttemptFiles {
  directory: string;
  /** What the agent knew when it started: see `BeginRecord`. */
  begin: string;
  /** Process id of the wrapper and of the container's main process, written by themselves. */
  pid: string;
  main: string;
  /** The exit code in one line, written by the wrapper; its modification time is the instant of the end. */
  exit: string;
  /** There once the agent sent SIGKILL. */
  killed: string;
  /** The end as it was reported: see `End`. */
  end: string;
  log: string;
  logTimes: string;
  message: string;
  /** The working directory of a container that names none. */
  work: string;
}

export function attemptFiles(directory: string): AttemptFiles {
  const at = (name: string): string => join(directory, name);
  return {
    directory,
    begin: at('begin.json'),
    pid: at('pid'),
    main: at('main'),
    exit: at('exit'),
    killed: at('killed'),
    end: at('end.json'),
    log: at('log'),
    logTimes: at('log-times'),
    message: at('termination-message'),
    work: at('work'),
  };
}

/** Writes a file so that a reader finds all of it or nothing, whenever the agent is killed. */
export function writeWhole(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.draft`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, file);
}

export function readWhole(file: string): unknown {
  const text = readText(file);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** A number that stands in a file as one line; undefined until the line is complete. */
export function readNumber(file: string): number | undefined {
  const text = readText(file);
  return text !== undefined && /^\d+\n$/.test(text) ? Number(text) : undefined;
}

export function modifiedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
