import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/installation.ts';
import type { Witness } from '../support/witness.ts';
import type { Checked } from './checks.ts';

export interface Witnesses {
  jobs: Witness;
  pods: Witness;
}

export interface VersionFigures {
  /** Versions of Jobs and pods that the witnesses saw. */
  versionsOffered: number;
  /** The number of versions that are not in SQL, but inside a recorded gap. */
  versionsInGaps: number;
  /** The number of versions that the proxy lost between two lists, with a later version or the deletion in SQL. Nobody can notice these losses. */
  versionsUnnoticed: number;
  /** Of these: nowhere. */
  versionsLost: number;
  gaps: number;
  /** Recorded again, under another id, from a later list: a crash lost the live set's newest second. */
  versionsListedAgain: number;
}

interface VersionRow {
  version: string;
  times: number;
  /** The list that contained it; null: a watch reported it. */
  listed: string | null;
}

/** Each version that the API server offered is in SQL once, or inside a gap, or superseded before anybody could know. */
export async function checkVersions(
  { sql }: Installation,
  witnesses: Witnesses,
  lostByProxy: ReadonlySet<string>,
): Promise<Checked<VersionFigures>> {
  const look = async (): Promise<Checked<VersionFigures>> => {
    const rows = await sql<VersionRow>(
      `select (data->'object'->'metadata'->>'uid') || '/' || (data->'object'->'metadata'->>'resourceVersion') as version,
         data->>'listedAt' as listed, count(*)::int as times
       from jobledger.events where data ? 'object' group by 1, 2`,
    );
    const gaps = await sql<{ resource: string; from: string; to: string }>(
      "select data->>'resource' as resource, data->>'from' as from, data->>'to' as to from jobledger.events where type = 'cluster.gap'",
    );
    const gone = await sql<{ uid: string }>(
      "select coalesce(data->>'podUid', job_uid) as uid from jobledger.events where type in ('pod.deleted', 'job.deleted')",
    );
    const epochs = await sql<{ id: string }>(
      "select id from jobledger.events where type = 'cluster.restored'",
    );
    const recorded = new Set(rows.map(({ version }) => version));
    const newest = newestVersions(rows);
    const ended = new Set(gone.map(({ uid }) => uid));
    const isSuperseded = (version: string): boolean =>
      ended.has(versionUid(version)) || (newest.get(versionUid(version)) ?? 0) > versionNumber(version);
    const missing = Object.entries(witnesses).flatMap(([resource, { seen }]: [string, Witness]) =>
      [...seen.keys()].filter((version) => !recorded.has(version)).map((version) => ({ resource, version })),
    );
    const outside = missing.filter(
      ({ resource, version }) =>
        !gaps.some((gap) => gap.resource === resource && isInside(gap, versionNumber(version))),
    );
    const lost = outside.filter(({ version }) => !(lostByProxy.has(version) && isSuperseded(version)));
    const twice = rows.filter(({ times }) => times > 1);
    return {
      findings: [
        ...lost.map(({ resource, version }) => `${version} of ${resource} is not in SQL`),
        ...twice.map(({ version, times }) => `${version} is in SQL ${times} times`),
        ...epochs.map(
          ({ id }) => `${id}: an older version in one answer was taken for a restored API server`,
        ),
      ].map((text) => ({ guarantee: 'versions', text })),
      figures: {
        versionsOffered: witnesses.jobs.seen.size + witnesses.pods.seen.size,
        versionsInGaps: missing.length - outside.length,
        versionsUnnoticed: outside.length - lost.length,
        versionsLost: lost.length,
        gaps: gaps.length,
        versionsListedAgain: rows.length - recorded.size,
      },
    };
  };
  let last = await look();
  // The projector reads on, and the last list is still to come.
  await eventually('every version is in SQL', 45, async () => {
    last = await look();
    return last.findings.length === 0 ? true : undefined;
  }).catch(() => undefined);
  return last;
}

function newestVersions(rows: readonly VersionRow[]): Map<string, number> {
  const newest = new Map<string, number>();
  for (const { version } of rows)
    newest.set(versionUid(version), Math.max(newest.get(versionUid(version)) ?? 0, versionNumber(version)));
  return newest;
}

function versionUid(version: string): string {
  return version.split('/')[0] ?? '';
}

function versionNumber(version: string): number {
  return Number(version.split('/')[1]);
}

function isInside({ from, to }: { from: string; to: string }, version: number): boolean {
  return Number(from) < version && version <= Number(to);
}
