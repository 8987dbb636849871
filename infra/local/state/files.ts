import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a file atomically, readable only by its owner unless a mode is given. Returns its path. */
export function writePrivately(file: string, text: string, mode = 0o600): string {
  mkdirSync(path.dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode });
  renameSync(draft, file);
  return file;
}

/** The text of a file; undefined when it cannot be read. */
export function textIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The text of a file that is written only once: the existing text, or a new text that is then written. */
export function keptText(file: string, make: () => string): string {
  const kept = textIn(file);
  if (kept !== undefined) return kept;
  const text = make();
  writePrivately(file, text);
  return text;
}
