import { z } from 'zod';
import type { ClusterAvailability } from '../../workflows/placement/settings.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import {
  parseRecord,
  writeInstallationRecord,
  type InstallationRecords,
} from '../installation/installation-records.ts';

/**
 * A person's decision about a cluster, in the records of the installation. The decision is recorded before it has any
 * effect.
 */
export type ClusterOverride = Pick<ClusterAvailability, 'cordoned' | 'lost'>;

const BY = { by: z.string(), at: z.number() };
const OVERRIDE = z.object({
  cordoned: z.object({ ...BY, drain: z.literal(true).optional() }).optional(),
  lost: z.object(BY).optional(),
});
const SILENT = z.object({ since: z.number().nullable() });

/**
 * The clusters that a person has overridden, or that do not answer, by name. A record that cannot be read is ignored.
 */
export function availabilityIn(records: InstallationRecords): Record<string, ClusterAvailability> {
  const all: Record<string, ClusterAvailability> = {};
  for (const [key, value] of records) {
    const { kind, cluster } = /^(?<kind>override|silent)\/(?<cluster>.+)$/.exec(key)?.groups ?? {};
    if (cluster === undefined) continue;
    const part = kind === 'override' ? overrideIn(value) : silenceIn(value);
    if (Object.keys(part).length > 0) all[cluster] = { ...all[cluster], ...part };
  }
  return all;
}

function overrideIn(value: string): ClusterOverride {
  return (parseRecord(value, OVERRIDE) ?? {}) as ClusterOverride;
}

function silenceIn(value: string): Pick<ClusterAvailability, 'silentSince'> {
  const since = parseRecord(value, SILENT)?.since ?? null;
  return since === null ? {} : { silentSince: since };
}

/** The availability of a cluster for a reader, with instants in RFC 3339, and null for an absent part. */
export interface ShownAvailability {
  cordoned: { by: string; at: string; drain: boolean } | null;
  lost: { by: string; at: string } | null;
  silent_since: string | null;
}

export function shownAvailability({ cordoned, lost, silentSince }: ClusterAvailability): ShownAvailability {
  const instantText = (instant: number): string => new Date(instant).toISOString();
  return {
    cordoned:
      cordoned === undefined
        ? null
        : { by: cordoned.by, at: instantText(cordoned.at), drain: cordoned.drain === true },
    lost: lost === undefined ? null : { by: lost.by, at: instantText(lost.at) },
    silent_since: silentSince === undefined ? null : instantText(silentSince),
  };
}

/** Records an override of a cluster. Services apply the override within seconds. */
export function recordOverride(
  connection: KafkaConnection,
  cluster: string,
  override: ClusterOverride,
): Promise<void> {
  return writeInstallationRecord(connection, `override/${cluster}`, override);
}

/** Records the time since which the cluster has not answered, in milliseconds; null when it answers. */
export function recordSilence(
  connection: KafkaConnection,
  cluster: string,
  since: number | null,
): Promise<void> {
  return writeInstallationRecord(connection, `silent/${cluster}`, { since });
}
