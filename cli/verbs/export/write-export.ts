import { createHash } from 'node:crypto';
import { createWriteStream, renameSync, rmSync, writeFileSync } from 'node:fs';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { printableLines } from '../../../services/adapters/printable.ts';
import { manifestPath, type ArchiveManifest } from '../../ledger/archive-manifest.ts';
import { replacedFile } from '../../replaced-file.ts';
import type { Spool } from './spool.ts';

/**
 * Writes the file completely or not at all, compressed if its name ends with `.gz`, and writes the manifest if the user asks for a manifest. A device
 * or a pipe receives the lines as they are written. Without a file, the export goes to
 * standard output, whose reader may close it early.
 */
export async function writeExport(
  spool: Spool,
  file: string | undefined,
  manifest: Omit<ArchiveManifest, 'sha256'> | null,
): Promise<void> {
  if (file === undefined) return writeOut(spool).catch(unlessClosed);
  let unfinished: string | null = null;
  try {
    const replaced = replacedFile(file);
    if (replaced !== null) unfinished = unfinishedPath(replaced);
    const sha256 = await writeFile(spool, unfinished ?? file, file.endsWith('.gz'));
    if (replaced !== null && unfinished !== null) renameSync(unfinished, replaced);
    if (manifest !== null)
      writeFileSync(manifestPath(file), `${JSON.stringify({ sha256, ...manifest }, null, 2)}\n`);
  } catch (error) {
    if (unfinished !== null) rmSync(unfinished, { force: true });
    throw new InputError(`${file} cannot be written: ${errorMessage(error)}`);
  }
}

/** The path of the file as long as it is not complete. */
function unfinishedPath(replaced: string): string {
  return `${replaced}.unfinished-${process.pid}`;
}

/** Deletes the unfinished file of `writeExport`. */
export function discardUnfinished(file: string | undefined): void {
  const replaced = file === undefined ? null : replacedFile(file);
  if (replaced !== null) rmSync(unfinishedPath(replaced), { force: true });
}

/** Writes the export to standard output, with escaped control characters, so that a terminal does not execute them. */
async function writeOut(spool: Spool): Promise<void> {
  const input = new PassThrough({ encoding: 'utf8' });
  const escaping = new Transform({
    decodeStrings: false,
    transform: (chunk: string, _encoding, done) => done(null, printableLines(chunk)),
  });
  const written = pipeline(input, escaping, process.stdout, { end: false });
  // The first of these promises to fail gives the reason.
  await Promise.all([spool.bindInto(input).then(() => input.end()), written]);
}

/** Writes the lines of the export to a file, and returns the SHA-256 of the written bytes. */
async function writeFile(spool: Spool, file: string, isCompressed: boolean): Promise<string> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  const input = isCompressed ? createGzip() : new PassThrough();
  const written = pipeline(input, hashing, createWriteStream(file));
  // The first of these promises to fail gives the reason.
  await Promise.all([spool.bindInto(input).then(() => input.end()), written]);
  return hash.digest('hex');
}

/** Ignores the error that the reader has closed standard output. @throws any other error. */
function unlessClosed(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
}
