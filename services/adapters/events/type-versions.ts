import type { TypeTable, TypeVersion } from './event-types.ts';
import { UnreadableRecordError, NewerRecordError } from './unreadable-record.ts';

interface ReadVersion {
  version: TypeVersion;
  /** The versions after a given version. */
  later: readonly TypeVersion[];
}

interface NamedVersion extends ReadVersion {
  type: string;
  /** The version's number, from 1 on. */
  number: number;
}

/** The version that the type of a record names, such as `dev.jobledger.job.observed.v1`. */
export function versionIn(table: TypeTable, full: string): NamedVersion {
  const match = /^dev\.jobledger\.([a-z]+(?:[.-][a-z]+)*)\.v([1-9]\d*)$/.exec(full);
  if (match === null) throw new UnreadableRecordError(`"${full}" is not an event type of Jobledger`);
  const [, type = '', number = ''] = match;
  return { type, number: Number(number), ...readVersion(table, type, Number(number)) };
}

/** @throws NewerRecordError when only a newer program knows the version. */
export function readVersion(table: TypeTable, type: string, number: number): ReadVersion {
  const full = `${PREFIX}${type}.v${number}`;
  const versions = typeVersions(table, type);
  if (versions.length === 0)
    throw new NewerRecordError(`${full} is unknown to this version of Jobledger: start a newer one`);
  const [version, ...later] = versions.slice(number - 1);
  if (version === undefined)
    throw new NewerRecordError(
      `${full} is newer than this version of Jobledger, which reads ${type} up to version ${versions.length}: start a newer one`,
    );
  return { version, later };
}

/** The versions of an event type, the oldest first; empty for an unknown type. */
export function typeVersions(table: TypeTable, type: string): readonly TypeVersion[] {
  return Object.hasOwn(table, type) ? (table[type] ?? []) : [];
}

export const PREFIX = 'dev.jobledger.';
