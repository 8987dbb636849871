import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a file that appears whole, readable by its owner alone unless a mode is given. */
export function writePrivately(file: string, text: string, mode = 0o600): string {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, file);
  return file;
}

/** The text of a file, undefined when there is none. */
export function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The text of a file that is written once: kept if it is there, else made now. */
export function keptText(file: string, make: () => string): string {
  const kept = textIn(file);
  if (kept !== undefined) return kept;
  const text = make();
  writePrivately(file, text);
  return text;
}
