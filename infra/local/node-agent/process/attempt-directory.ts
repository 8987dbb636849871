import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The paths of the files of one container attempt. All files of an attempt outlive the agent. */
export interface AttemptFiles {
  directory: string;
  /** The agent's record of the start: see `BeginRecord`. */
  begin: string;
  /** The process ids of the wrapper (`pid`) and of the container's main process (`main`), each written by the process itself. */
  pid: string;
  main: string;
  /** The exit code as one line, written by the wrapper; the file's modification time is when the container ended. */
  exit: string;
  /** Exists once the agent has sent SIGKILL. */
  killed: string;
  /** The end as it was reported: see `ContainerEnd`. */
  end: string;
  log: string;
  logTimes: string;
  message: string;
  /** The working directory of a container without `workingDir`. */
  work: string;
}

export function attemptFiles(directory: string): AttemptFiles {
  const fileIn = (name: string): string => join(directory, name);
  return {
    directory,
    begin: fileIn('begin.json'),
    pid: fileIn('pid'),
    main: fileIn('main'),
    exit: fileIn('exit'),
    killed: fileIn('killed'),
    end: fileIn('end.json'),
    log: fileIn('log'),
    logTimes: fileIn('log-times'),
    message: fileIn('termination-message'),
    work: fileIn('work'),
  };
}

/** Writes a value as JSON, atomically: a reader finds the whole file or no file, even if the agent is killed. */
export function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.draft`;
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600 });
  renameSync(draft, file);
}

export function readJson(file: string): unknown {
  const text = readText(file);
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** The number in a file of one line; undefined until the line is complete. */
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
