import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';

/** The contents of an archive, in the file `<archive>.manifest.json`. */
export type ArchiveManifest = z.infer<typeof MANIFEST>;

const MANIFEST = z.object({
  /** Digest of the archive's bytes, as `sha256sum` prints it. */
  sha256: z.string(),
  events: z.number(),
  jobs: z.number(),
  cronJobs: z.number(),
  clusters: z.number(),
  /**
   * The archive contains every Job of the ledger that ended before this instant; null when the archive has another
   * selection.
   */
  endedBefore: z.string().nullable(),
  writtenAt: z.string(),
});

/** The path of the manifest that belongs to an archive. */
export function manifestPath(archive: string): string {
  return `${archive}.manifest.json`;
}

/**
 * Reads the manifest of an archive, and checks the archive's bytes. Returns null if the archive has no manifest. @throws InputError.
 */
export async function checkedManifest(archive: string): Promise<ArchiveManifest | null> {
  const file = manifestPath(archive);
  if (!existsSync(file)) return null;
  const manifest = read(file);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(archive)) hash.update(chunk as Buffer);
  const found = hash.digest('hex');
  if (found !== manifest.sha256)
    throw new InputError(
      `${archive} is damaged: its SHA-256 is ${found}, but its manifest says ${manifest.sha256}`,
    );
  return manifest;
}

/** Reads and validates a manifest. @throws InputError. */
function read(file: string): ArchiveManifest {
  try {
    return MANIFEST.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
