import { describe, expect, it } from '@jest/globals';
import { pollingText, takenOverText } from '../../../cli/verbs/detach/hindrances.ts';
import { requireWatched } from '../../../cli/verbs/detach/watched-before.ts';
import { thisUser } from '../../../cli/this-user.ts';
import type { SurveyedJob } from '../../../cli/verbs/detach/surveyed.ts';
import { OWN_MANAGER, type Claim } from '../../../workflows/kubernetes/names.ts';
import { aSurvey, aSurveyedJob } from './a-survey.ts';
import type { LiveRecord } from '../../../services/live-topic/live-topic.ts';
import { positionRecord } from '../../../services/live-topic/watches.ts';

describe('a worker of the installation', () => {
  const at = (polledAt: number): string[] =>
    pollingText([{ taskQueue: 'jobledger-east-b1', identity: '7@host', polledAt }], {
      now: 100_000,
      quietMs: 75_000,
    });

  it('prevents a detachment while it polls, and until it has certainly stopped', () => {
    expect(at(90_000)).toEqual([
      'the worker 7@host polled the task queue jobledger-east-b1 10 seconds ago: stop every worker of this cluster; if this worker has already stopped, wait 65 seconds and try again',
    ]);
    expect(at(25_001)).toHaveLength(1);
  });

  it('does not prevent a detachment when its last poll is so long ago that it has certainly stopped', () => {
    expect(at(25_000)).toEqual([]);
  });
});

describe('Jobs without managedBy', () => {
  const [EARLY, LATE] = ['2026-03-01T12:00:00Z', '2026-03-01T12:00:05Z'];
  const written = (name: string, ours: string, others: string, managedBy?: string): SurveyedJob => ({
    ...aSurveyedJob(name),
    managedBy,
    writes: { ours, others },
  });
  const taken = (claim: Claim, ...jobs: SurveyedJob[]): number =>
    takenOverText(aSurvey({ jobs }), { claim, controllers: ['job'] }).length;

  it('prevent a detachment under the claim `all` when another controller wrote their last status', () => {
    expect(taken('all', written('a', LATE, ''), written('b', '', EARLY))).toBe(0);
    expect(taken('all', written('a', EARLY, ''), written('b', '', LATE))).toBe(1);
    expect(taken('all')).toBe(0);
  });

  it('do not prevent a detachment under the claim `managed`, nor do Jobs of other controllers', () => {
    expect(taken('managed', written('a', EARLY, LATE))).toBe(0);
    expect(taken('all', written('a', EARLY, LATE, 'example.com/other'))).toBe(0);
    expect(taken('all', written('a', EARLY, LATE, OWN_MANAGER))).toBe(0);
  });
});

describe('the cluster that this installation has watched', () => {
  const known = (...watches: string[]): LiveRecord[] => [
    { cluster: 'east', kind: 'identity', key: 'uid', value: 'u' },
    ...watches.map((name) => positionRecord('east', name, {})),
  ];

  it('can be detached as a whole, or by its watched namespaces', () => {
    expect(() => requireWatched('east', [], known('jobs', 'pods'))).not.toThrow();
    expect(() => requireWatched('east', ['a'], known('jobs', 'pods'))).not.toThrow();
    expect(() => requireWatched('east', ['a'], known('jobs.a', 'pods.a', 'jobs.b'))).not.toThrow();
    expect(() => requireWatched('east', [], known())).not.toThrow();
  });

  it('cannot be detached beyond its watched namespaces, which may belong to another installation', () => {
    expect(() => requireWatched('east', [], known('jobs.a', 'pods.a', 'jobs.b'))).toThrow(
      'this installation has watched only the namespaces a,b of the cluster "east": give --namespaces a,b',
    );
    expect(() => requireWatched('east', ['a', 'c'], known('jobs.a', 'jobs.b'))).toThrow(
      'this installation has not watched c of the cluster "east", only a,b',
    );
  });

  it('is named in the error when the requested cluster is unknown', () => {
    expect(() => requireWatched('west', [], known('jobs'))).toThrow(
      'the ledger has no cluster "west"; it has east: give --kube-context or --cluster-name',
    );
    expect(() => requireWatched('west', [], [])).toThrow('it has none');
  });
});

describe('the user name that a detachment records', () => {
  it('is the given name, and never a name that could forge a line', () => {
    expect(thisUser('ann')).toBe('ann');
    expect(() => thisUser('ann\nroot')).toThrow('no control or bidirectional characters');
    expect(() => thisUser('a'.repeat(257))).toThrow('1 to 256 characters');
    expect(() => thisUser('')).toThrow('must have 1 to 256 characters');
  });
});
