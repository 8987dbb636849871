import { write } from '../../output.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';
import { readContexts } from '../../server/contexts-file.ts';
import { withRows } from '../../sources/with-rows.ts';

/** The names that a shell asks for while it completes a word (`jobledger __complete`). */
export const NAME_KINDS = ['jobs', 'namespaces', 'clusters', 'contexts'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

/** The number of newest Jobs whose names are offered. */
const NEWEST = 500;
/** The time that a shell waits, in milliseconds. */
const TIMEOUT_MS = 2000;

/**
 * Prints each name on its own line; prints no line when the names cannot be read in time, because a shell shows no
 * errors.
 */
export async function printNames(kind: string | undefined): Promise<void> {
  const timer = setTimeout(() => process.exit(), TIMEOUT_MS);
  try {
    const names = await listNames(kind);
    if (names.length > 0) write(names.join('\n'));
  } catch {
    // The error is dropped, because a shell would show it in the middle of the line.
  } finally {
    clearTimeout(timer);
  }
}

/** The names of a kind, from the contexts or from the newest Jobs. */
async function listNames(kind: string | undefined): Promise<string[]> {
  if (kind === 'contexts') return (await readContexts()).contexts.map(({ name }) => name);
  const options: ConnectionOptions = {
    stateDir: process.env['JOBLEDGER_STATE_DIR'] ?? '.jobledger',
    connection: { hasStateDir: false },
  };
  const jobs = await withRows(options, (rows) => rows.jobs({ deleted: true, limit: NEWEST }));
  if (kind === 'namespaces') return [...new Set(jobs.map(({ namespace }) => namespace))].toSorted();
  if (kind === 'clusters') return [...new Set(jobs.map(({ cluster }) => cluster))].toSorted();
  return kind === 'jobs' ? jobNames(jobs) : [];
}

/** The names of objects, each with its cluster and namespace if several objects have the name. */
export function jobNames(jobs: readonly { cluster: string; namespace: string; name: string }[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { cluster, namespace, name } of jobs) {
    const of = places.get(name) ?? new Set();
    places.set(name, of.add(`${cluster}/${namespace}`));
  }
  const names = jobs.map(({ cluster, namespace, name }) =>
    (places.get(name)?.size ?? 0) > 1 ? `${cluster}/${namespace}/${name}` : name,
  );
  return [...new Set(names)].toSorted();
}
