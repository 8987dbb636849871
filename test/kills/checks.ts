import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import type { Installation } from '../support/installation.ts';
import { listDifferences, rebuildTablesWith } from '../support/rebuild.ts';
import { verifyAll } from '../support/verify.ts';
import type { StoryJob } from './open-jobs.ts';

/** The promises that a run must show. */
export type Guarantee =
  | 'stories'
  | 'pods'
  | 'versions'
  | 'timers'
  | 'runs'
  | 'verify'
  | 'rebuild'
  | 'refusals';

/** Something that is not as it must be. */
export interface Finding {
  guarantee: Guarantee;
  text: string;
}

/** The findings of a check, and its figures. */
export interface Checked<F> {
  findings: Finding[];
  figures: F;
}

/** Each Job has as many pods as its story, in the ledger and by the creations in the API server's audit log. */
export async function checkPods(
  { sql, audit }: Installation,
  jobs: readonly StoryJob[],
): Promise<Checked<{ pods: number; podsTwice: number }>> {
  // A pod that lived only while no watch worked is known by the outcome of its creation.
  const rows = await sql<{ name: string; pods: number }>(
    `select name, count(distinct uid)::int as pods from (
       select job_name as name, data->'object'->'metadata'->>'uid' as uid
       from jobledger.events where type in ('pod.observed', 'pod.deleted') and data ? 'object'
       union all
       select job_name, pod->>'uid' from jobledger.events, jsonb_array_elements(data->'outcome'->'pods') as pod
       where type = 'outcome.recorded' and data->'outcome'->>'kind' = 'CreatePods' and pod->>'result' = 'created'
     ) as known group by 1`,
  );
  const recorded = new Map(rows.map(({ name, pods }) => [name, pods]));
  const created = audit().filter(
    ({ verb, objectRef, responseStatus }) =>
      verb === 'create' && objectRef?.resource === 'pods' && responseStatus?.code === 201,
  );
  const findings: Finding[] = [];
  let [total, podsTwice] = [0, 0];
  for (const { name, story } of jobs) {
    const inLedger = recorded.get(name) ?? 0;
    // An API server that is killed may have created a pod that it did not log: never more, sometimes less.
    const inAudit = created.filter(({ objectRef }) => objectRef?.name?.startsWith(`${name}-`)).length;
    total += inLedger;
    podsTwice += Math.max(0, inLedger - story.pods, inAudit - story.pods);
    if (inLedger !== story.pods || inAudit > story.pods)
      findings.push({
        guarantee: 'pods',
        text: `${name} has ${inLedger} pods in the ledger and ${inAudit} in the audit log, not ${story.pods}`,
      });
  }
  return { findings, figures: { pods: total, podsTwice } };
}

/** `admin verify --all` and `admin rebuild --check` of this source tree find nothing. */
export async function checkRecord(
  installation: Installation,
  root = PACKAGE_DIR,
): Promise<Checked<{ decisions: number; records: number }>> {
  const { findings, decisions } = await verifyAll({ ...installation, root });
  const rebuilt = await rebuildTablesWith(root, installation.environment, '--check');
  return {
    findings: [
      ...findings.map((finding) => ({ guarantee: 'verify' as const, text: JSON.stringify(finding) })),
      ...listDifferences(rebuilt).map((text) => ({ guarantee: 'rebuild' as const, text })),
    ],
    figures: { decisions, records: rebuilt.records },
  };
}
