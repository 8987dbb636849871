import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';
import { fileDigest } from '../../services/adapters/file-digest.ts';

/** The description of an archive: its digest, its size, and its selection; in the file `<archive>.manifest.json`. */
export type ArchiveManifest = z.infer<typeof MANIFEST>;

const MANIFEST = z.object({
  /** Digest of the archive's bytes, as `sha256sum` prints it. */
  sha256: z.string(),
  /** The numbers of events, Jobs, CronJobs and clusters in the archive. */
  events: z.number(),
  jobs: z.number(),
  cronJobs: z.number(),
  clusters: z.number(),
  /**
   * The archive contains only objects that ended before this RFC 3339 instant; null when objects were not selected by their
   * end.
   */
  endedBefore: z.string().nullable(),
  /** RFC 3339. */
  writtenAt: z.string(),
});

/** The path of the manifest that belongs to an archive. */
export function manifestPath(archive: string): string {
  return `${archive}.manifest.json`;
}

/**
 * Reads the manifest of an archive, and the whole archive to compare its digest. Returns null if the archive has no manifest.
 * @throws InputError if the manifest or the archive cannot be read, or the archive has another digest.
 */
export async function readCheckedManifest(archive: string): Promise<ArchiveManifest | null> {
  const file = manifestPath(archive);
  if (!existsSync(file)) return null;
  const manifest = readManifest(file);
  const found = await fileDigest(archive).catch((error: unknown) => {
    throw new InputError(`${archive} cannot be read: ${errorMessage(error)}`);
  });
  if (found !== manifest.sha256)
    throw new InputError(
      `${archive} is damaged: its SHA-256 is ${found}, but its manifest says ${manifest.sha256}`,
    );
  return manifest;
}

/** Reads and validates a manifest. @throws InputError if that fails. */
function readManifest(file: string): ArchiveManifest {
  try {
    return MANIFEST.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
}
