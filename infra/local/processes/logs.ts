import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';

const ROTATE_AT_BYTES = 32 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const READ_BYTES = 64 * 1024;
/** Milliseconds between two looks at a followed log. */
const POLL_MS = 250;

/** Opens a log for appending; a log above 32 MiB is first moved to `<file>.1`. The caller closes the descriptor. */
export function openLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).size > ROTATE_AT_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}

/** The size of a log in bytes; 0 when the log does not exist. */
export function logSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The last non-blank lines of a log, oldest first; only lines after the byte `from`, unless the log was moved away since. */
export function lastLines(file: string, count: number, from = 0): string[] {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const length = size < from ? size : size - from;
      const buffer = Buffer.alloc(Math.min(length, TAIL_BYTES));
      readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
      const lines = buffer.toString('utf8').split('\n');
      return lines.filter((line) => line.trim() !== '').slice(-count);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return [];
  }
}

/** The last of these lines that mentions an error; otherwise the last line. */
export function lastErrorLine(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => /\b(fatal|error|panic|exception)\b|Error\b/i.test(line)) ?? lines.at(-1);
}

/**
 * Calls `each` for every line appended from now on; returns a function that stops the reading. Reads 64 KiB at a
 * time.
 */
export function followLog(file: string, each: (line: string) => void): () => void {
  const buffer = Buffer.alloc(READ_BYTES);
  let position = logSize(file);
  let decoder = new StringDecoder('utf8');
  let rest = '';
  const takeBytes = (bytes: Buffer): void => {
    const lines = (rest + decoder.write(bytes)).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(each);
  };
  const readNew = (): void => {
    if (!existsSync(file)) return;
    const descriptor = openSync(file, 'r');
    try {
      const { size } = fstatSync(descriptor);
      if (size < position) {
        // The file is a new file, because the former file was moved away.
        [position, rest, decoder] = [0, '', new StringDecoder('utf8')];
      }
      while (position < size) {
        const count = readSync(descriptor, buffer, 0, buffer.length, position);
        position += count;
        takeBytes(buffer.subarray(0, count));
      }
    } finally {
      closeSync(descriptor);
    }
  };
  const timer = setInterval(readNew, POLL_MS);
  return () => {
    clearInterval(timer);
    readNew();
  };
}
