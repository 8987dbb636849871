import { describe, expect, it } from '@jest/globals';
import { commandPreconditions, commandStaleness } from '../../../workflows/job/definitions/preconditions.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { aJob, aRunningPod, userRequest, START, type JobFields } from '../../support/builders.ts';
import { given } from '../../support/given.ts';
import { jobRead } from '../../support/outcomes.ts';

const preconditions = commandPreconditions(jobRead({ status: { succeeded: 1, failed: 1 } }), START + 10_000);
const done = { type: 'Complete', status: 'True', lastProbeTime: '', lastTransitionTime: '' };

describe('a command that the worker sends late', () => {
  it.each<[what: string, live: JobFields, stale: Command['kind'][]]>([
    ['is as it was', { status: { succeeded: 1, failed: 1 } }, []],
    [
      'has another version, and nothing that matters is new',
      { annotations: { a: 'b' }, status: { succeeded: 1, failed: 1 } },
      [],
    ],
    ['has another spec', { generation: 2, suspend: true }, ['CreatePods', 'DeletePods', 'SetSuspend']],
    ['is being deleted', { deleting: true }, ['CreatePods']],
    ['has finished', { status: { conditions: [done] } }, ['CreatePods']],
    ['counts more', { status: { succeeded: 2, failed: 1 } }, ['CreatePods', 'DeletePods']],
    ['counts more failures', { status: { succeeded: 1, failed: 2 } }, ['CreatePods', 'DeletePods']],
  ])(
    'is compared with the present Job, and is stale if a precondition does not hold: the Job %s',
    (_what, live, stale) => {
      const kinds = (['CreatePods', 'DeletePods', 'SetSuspend'] as const).filter(
        (kind) => commandStaleness(kind, preconditions, jobRead(live), START) !== null,
      );
      expect(kinds).toEqual(stale);
    },
  );

  it('is stale when it creates pods and the deadline of the Job has passed', () => {
    const live = jobRead({ status: { succeeded: 1, failed: 1 } });
    expect(commandStaleness('CreatePods', preconditions, live, START + 9999)).toBeNull();
    expect(commandStaleness('CreatePods', preconditions, live, START + 10_000)).toBe(
      'the deadline has passed',
    );
  });
});

describe('the preconditions in a decision', () => {
  it('name the version of the Job on which pods are created or deleted, or the Job is suspended', () => {
    const job = aJob({ parallelism: 1, completions: 2, generation: 7, activeDeadlineSeconds: 30 });
    const expected = { resourceVersion: job.job.resourceVersion, generation: 7, succeeded: 0, failed: 0 };
    const bases = [
      given(job).when(null),
      given(job)
        .and(aRunningPod({ ordinal: 0 }), aRunningPod({ ordinal: 1 }))
        .when(null),
      given(job).and(userRequest('suspend')).when(null),
    ].map(({ verdict }) => verdict.commands[0]);
    expect(bases).toMatchObject([
      { kind: 'CreatePods', preconditions: { ...expected, deadline: START + 30_000 } },
      { kind: 'DeletePods', preconditions: { ...expected, deadline: START + 30_000 } },
      { kind: 'SetSuspend', preconditions: { ...expected, deadline: null } },
    ]);
  });
});
