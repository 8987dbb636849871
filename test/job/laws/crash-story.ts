import * as fc from 'fast-check';
import {
  sendUserRequest,
  deliverAll,
  refuseChanges,
  failNextRequests,
  runWorkflowTask,
  type ModelCluster,
} from '../../support/model-cluster.ts';
import { deletePod, patchJobSpec, setJob } from '../../support/model-cluster-api.ts';
import { stepPod } from '../../support/model-cluster-kubelet.ts';
import { dispatch, redispatch, relist, rewind, watch } from '../../support/model-cluster-ledger.ts';
import { recallWorkflow } from '../../support/model-cluster-workflow.ts';

/** A Job, and how its pods end, by order of creation; later ones succeed. */
export interface Story {
  parallelism: number;
  completions: number;
  backoffLimit: number;
  podReplacementPolicy: string;
  fates: boolean[];
}

export const stories = fc.record<Story>({
  parallelism: fc.integer({ min: 1, max: 3 }),
  completions: fc.integer({ min: 1, max: 4 }),
  backoffLimit: fc.integer({ min: 0, max: 3 }),
  podReplacementPolicy: fc.constantFrom('TerminatingOrFailed', 'Failed'),
  fates: fc.array(fc.boolean(), { maxLength: 6 }),
});

const count = fc.integer({ min: 1, max: 6 });
const of = fc.constantFrom('jobs' as const, 'pods' as const);
const verb = fc.constantFrom(
  'create' as const,
  'delete' as const,
  'patch' as const,
  'put' as const,
  'get' as const,
);
const always = <K extends string>(kind: K): fc.Arbitrary<K> => fc.constant(kind);

/** What may happen during the life of a Job. */
export const steps = fc.oneof(
  { weight: 7, arbitrary: fc.record({ kind: always('pod'), pod: fc.nat(5) }) },
  { weight: 4, arbitrary: fc.record({ kind: always('watch'), of, count }) },
  { weight: 4, arbitrary: fc.record({ kind: always('deliver'), count, forgets: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: always('work') }) },
  { weight: 4, arbitrary: fc.record({ kind: always('flow') }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: always('crash'),
      decision: fc.nat(2),
      command: fc.nat(4),
      records: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: always('outage'),
      outage: fc.constantFrom('unsent' as const, 'unanswered' as const),
      verb,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: always('refuse'),
      verbs: fc.subarray(['create', 'delete', 'patch', 'put']),
      status: fc.constantFrom(403 as const, 409 as const, 422 as const),
      /** Of one pod only. */
      place: fc.option(fc.nat(3), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: always('recall') }) },
  { weight: 2, arbitrary: fc.record({ kind: always('redispatch'), back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: always('rewind'), of, count }) },
  { weight: 2, arbitrary: fc.record({ kind: always('relist'), of }) },
  { weight: 1, arbitrary: fc.record({ kind: always('label') }) },
  { weight: 2, arbitrary: fc.record({ kind: always('wait'), seconds: fc.integer({ min: 1, max: 20 }) }) },
);
export type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

export async function take(cluster: ModelCluster, step: Step): Promise<void> {
  const { api, ledger, workflow, fate } = cluster;
  api.now += 90;
  switch (step.kind) {
    case 'pod': {
      const name = [...api.pods.keys()][step.pod];
      if (name !== undefined) stepPod(api, name, fate);
      return;
    }
    case 'watch':
      watch(ledger, api, step.of, step.count);
      return;
    case 'deliver':
      workflow.inbox.push(...dispatch(ledger, step.count, step.forgets));
      return;
    case 'work':
      return runWorkflowTask(cluster);
    case 'flow':
      deliverAll(cluster);
      return runWorkflowTask(cluster);
    case 'crash':
      await runWorkflowTask(cluster, step);
      api.now += 4000;
      return;
    case 'outage':
      return failNextRequests(cluster, step.outage, step.times, (request) => request.verb === step.verb);
    case 'refuse':
      return refuseChanges(cluster, step.verbs, step);
    case 'recall':
      return recallWorkflow(workflow, ledger.events);
    case 'redispatch':
      return redispatch(ledger, step.back);
    case 'rewind':
      return rewind(ledger, step.of, step.count);
    case 'relist':
      return relist(ledger, api, step.of);
    case 'label':
      return label(cluster);
    case 'wait':
      api.now += step.seconds * 1000;
  }
}

/** Another client writes the Job: a new version, and no field of ours changes. */
function label({ api }: ModelCluster): void {
  if (api.job === null) return;
  const labels = { ...api.job.metadata.labels, seen: String(api.version) };
  setJob(api, { ...api.job, metadata: { ...api.job.metadata, labels } });
}

/** A user deletes the pod at this place among the existing ones. */
export const deletions = fc.record({ kind: always('delete'), place: fc.nat(4) });

/** What users may request or change. */
export const changes = fc.oneof(
  fc.record({ kind: always('ask'), command: fc.constantFrom('suspend' as const, 'resume' as const) }),
  fc.record({ kind: always('spec'), spec: fc.record({ suspend: fc.boolean() }) }),
  fc.record({ kind: always('spec'), spec: fc.record({ parallelism: fc.nat(3) }) }),
);

export type Deed =
  | (typeof deletions extends fc.Arbitrary<infer D> ? D : never)
  | (typeof changes extends fc.Arbitrary<infer C> ? C : never);

/** Done by a user, without faults. */
export function doAsUser(cluster: ModelCluster, deed: Deed): void {
  const { api } = cluster;
  const { trouble } = api;
  api.trouble = () => null;
  const pod = deed.kind === 'delete' ? [...api.pods.values()][deed.place] : undefined;
  if (pod !== undefined) deletePod(api, pod.metadata.name, pod.metadata.uid);
  if (deed.kind === 'spec') patchJobSpec(api, deed.spec);
  if (deed.kind === 'ask') sendUserRequest(cluster, deed.command);
  api.trouble = trouble;
}

/** How a Job of this story ends, whatever happens on the way: pods are created until enough of them succeed. */
export function expectedEnd({ completions, backoffLimit, fates }: Story): { type: string; created: number } {
  let [succeeded, failed, created] = [0, 0, 0];
  while (succeeded < completions) {
    if (fates[created] ?? true) succeeded += 1;
    else failed += 1;
    created += 1;
    if (failed > backoffLimit) return { type: 'Failed', created };
  }
  return { type: 'Complete', created };
}
