import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import {
  createModelCluster,
  endedAs,
  endingOf,
  settleDown,
  trackedPods,
  troubleFor,
  work,
  type ModelCluster,
} from '../support/model-cluster.ts';
import { stepPod } from '../support/model-cluster-kubelet.ts';
import { dispatch, redispatch, relist, rewind, watch } from '../support/model-cluster-ledger.ts';
import { unfounded } from '../support/model-cluster-verify.ts';
import { recallWorkflow } from '../support/model-cluster-workflow.ts';

interface Story {
  parallelism: number;
  completions: number;
  backoffLimit: number;
  podReplacementPolicy: string;
  fates: boolean[];
}

const story = fc.record<Story>({
  parallelism: fc.integer({ min: 1, max: 3 }),
  completions: fc.integer({ min: 1, max: 4 }),
  backoffLimit: fc.integer({ min: 0, max: 3 }),
  podReplacementPolicy: fc.constantFrom('TerminatingOrFailed', 'Failed'),
  fates: fc.array(fc.boolean(), { maxLength: 6 }),
});

const REFUSED = { status: 403, reason: 'Forbidden', message: 'exceeded quota' };
const count = fc.integer({ min: 1, max: 6 });

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pod' as const), pod: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('watch' as const),
      of: fc.constantFrom('jobs' as const, 'pods' as const),
      count,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('deliver' as const), count, forgets: fc.boolean() }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('work' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('crash' as const),
      decision: fc.nat(2),
      command: fc.nat(4),
      records: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('trouble' as const),
      trouble: fc.constantFrom('unsent' as const, 'unanswered' as const, REFUSED),
      verb: fc.constantFrom('create', 'delete', 'patch', 'put'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('recall' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('redispatch' as const), back: fc.nat(6) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rewind' as const),
      of: fc.constantFrom('jobs' as const, 'pods' as const),
      count,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('relist' as const),
      of: fc.constantFrom('jobs' as const, 'pods' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 20 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function take(cluster: ModelCluster, next: Step): void {
  const { api, ledger, workflow, fate } = cluster;
  api.now += 90;
  switch (next.kind) {
    case 'pod': {
      const name = [...api.pods.keys()][next.pod];
      if (name !== undefined) stepPod(api, name, fate);
      return;
    }
    case 'watch':
      watch(ledger, api, next.of, next.count);
      return;
    case 'deliver':
      workflow.inbox.push(...dispatch(ledger, next.count, next.forgets));
      return;
    case 'work':
      return work(cluster);
    case 'crash':
      work(cluster, next);
      api.now += 4000;
      return;
    case 'trouble':
      return troubleFor(cluster, next.trouble, next.times, ({ verb }) => verb === next.verb);
    case 'recall':
      return recallWorkflow(workflow, ledger.events);
    case 'redispatch':
      return redispatch(ledger, next.back);
    case 'rewind':
      return rewind(ledger, next.of, next.count);
    case 'relist':
      return relist(ledger, api, next.of);
    case 'wait':
      api.now += next.seconds * 1000;
  }
}

/** How a Job of this story ends, whatever happens on the way: pods are created until enough of them succeed. */
function foretold({ completions, backoffLimit, fates }: Story): { type: string; created: number } {
  let [succeeded, failed, created] = [0, 0, 0];
  while (succeeded < completions) {
    if (fates[created] ?? true) succeeded += 1;
    else failed += 1;
    created += 1;
    if (failed > backoffLimit) return { type: 'Failed', created };
  }
  return { type: 'Complete', created };
}

function tell(told: Story, steps: Step[], maxUncountedPods: number): void {
  const { fates, ...spec } = told;
  const fate = (creation: number): 'Succeeded' | 'Failed' =>
    (fates[creation] ?? true) ? 'Succeeded' : 'Failed';
  const cluster = createModelCluster(spec, fate, { ...DEFAULT_SETTINGS, maxUncountedPods });
  for (const next of steps) take(cluster, next);
  settleDown(cluster);
  const ending = endingOf(cluster);
  const expected = foretold(told);
  expect(ending.type).toBe(expected.type);
  expect(ending.succeeded + ending.failed).toBe(ending.created);
  if (expected.type === 'Complete') {
    expect(ending.created).toBe(expected.created);
    expect(ending.succeeded).toBe(endedAs(cluster, 'Succeeded'));
  } else {
    expect(ending.reason).toBe('BackoffLimitExceeded');
    expect(ending.failed).toBeGreaterThanOrEqual(endedAs(cluster, 'Failed'));
    if (told.parallelism === 1) expect(ending.created).toBe(expected.created);
  }
  expect(trackedPods(cluster)).toEqual([]);
  expect(unfounded(cluster.ledger.events)).toEqual([]);
}

describe('a Job while facts are late, repeated, forgotten or lost, and processes die at any step', () => {
  it('ends as without faults, every pod counted once, none too many', () => {
    const runs = Number(process.env['JOBLEDGER_LAW_RUNS'] ?? 1500);
    fc.assert(fc.property(story, fc.array(step, { maxLength: 60 }), fc.constantFrom(500, 2), tell), {
      numRuns: runs,
      seed: Number(process.env['JOBLEDGER_LAW_SEED'] ?? 7),
      endOnFailure: false,
    });
  });
});
