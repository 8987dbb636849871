import { z } from 'zod';
import type { ClusterWord } from '../../workflows/placement/settings.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { writeInstallation, type InstallationRecords } from './installation-records.ts';

/** What a person has said of a cluster, in the installation's records: it is recorded before anything follows from it. */
export type SaidOfCluster = Pick<ClusterWord, 'cordoned' | 'lost'>;

const BY = { by: z.string(), at: z.number() };
const SAID = z.object({
  cordoned: z.object({ ...BY, drain: z.literal(true).optional() }).optional(),
  lost: z.object(BY).optional(),
});
const SILENT = z.object({ since: z.number().nullable() });

/** By name: the clusters of which something is said; a record that cannot be read says nothing. */
export function clusterWords(records: InstallationRecords): Record<string, ClusterWord> {
  const words: Record<string, ClusterWord> = {};
  for (const [key, value] of records) {
    const { kind, cluster } = /^(?<kind>said|silent)\/(?<cluster>.+)$/.exec(key)?.groups ?? {};
    if (cluster === undefined) continue;
    const word = kind === 'said' ? saidIn(value) : silentIn(value);
    if (Object.keys(word).length > 0) words[cluster] = { ...words[cluster], ...word };
  }
  return words;
}

function saidIn(value: string): SaidOfCluster {
  return (SAID.safeParse(jsonIn(value)).data ?? {}) as SaidOfCluster;
}

function silentIn(value: string): Pick<ClusterWord, 'silentSince'> {
  const since = SILENT.safeParse(jsonIn(value)).data?.since ?? null;
  return since === null ? {} : { silentSince: since };
}

function jsonIn(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** A word as it is shown: instants in RFC 3339, null where nothing is said. */
export interface ShownWord {
  cordoned: { by: string; at: string; drain: boolean } | null;
  lost: { by: string; at: string } | null;
  silent_since: string | null;
}

export function shownWord({ cordoned, lost, silentSince }: ClusterWord): ShownWord {
  const at = (instant: number): string => new Date(instant).toISOString();
  return {
    cordoned:
      cordoned === undefined
        ? null
        : { by: cordoned.by, at: at(cordoned.at), drain: cordoned.drain === true },
    lost: lost === undefined ? null : { by: lost.by, at: at(lost.at) },
    silent_since: silentSince === undefined ? null : at(silentSince),
  };
}

/** Records what a person says of a cluster; services notice within seconds. */
export function sayOfCluster(
  connection: KafkaConnection,
  cluster: string,
  said: SaidOfCluster,
): Promise<void> {
  return writeInstallation(connection, `said/${cluster}`, said);
}

/** Records since when the cluster has not answered, in milliseconds; null: it answers. */
export function recordSilence(
  connection: KafkaConnection,
  cluster: string,
  since: number | null,
): Promise<void> {
  return writeInstallation(connection, `silent/${cluster}`, { since });
}
