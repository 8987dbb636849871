import { describe, expect, it } from '@jest/globals';
import type { KnownJob } from '../../services/dispatcher/assignments/assignment.ts';
import { beginAssignment } from '../../services/dispatcher/assignments/assignment.ts';
import { createSignalSettings } from '../../services/dispatcher/runs/signal-settings.ts';
import type { KindName } from '../../workflows/kind.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';

const CLUSTER = 'east';
const NOT_ABORTED = new AbortController().signal;

function aJob(uid: string, known: Partial<KnownJob> = {}, kind: KindName = 'Job'): [string, KnownJob] {
  const ref = { cluster: CLUSTER, uid, namespace: 'default', name: uid, kind };
  return [uid, { ref, isOurs: true, expires: false, isFinished: false, wasThere: true, ...known }];
}

function anAssignment(partition: number, ...jobs: [string, KnownJob][]) {
  return beginAssignment(partition, 0n, { jobs: new Map(jobs), gone: new Set(), end: 0n });
}

/** A dispatcher with one partition. `signals` has the uids that were signalled since it was last read. */
function aDispatcher({
  jobs,
  running = [],
  settings = DEFAULT_SETTINGS,
}: {
  jobs: [string, KnownJob][];
  running?: string[];
  settings?: Settings;
}) {
  const assignments = new Map([[0, anAssignment(0, ...jobs)]]);
  let signals: string[] = [];
  let availability: object = {};
  let failing: string | null = null;
  const signalSettings = createSignalSettings({
    assignments,
    settings,
    running: () => Promise.resolve(new Set(running)),
    message: () => structuredClone(availability),
    signal({ uid }, facts, { start }) {
      expect(facts).toEqual([]);
      if (uid === failing) return Promise.reject(new Error('14 UNAVAILABLE'));
      return Promise.resolve(void signals.push(start ? `${uid}, started if it has ended` : uid));
    },
  });
  return {
    assignments,
    report: (output: object): void => void (availability = output),
    fail: (uid: string | null): void => void (failing = uid),
    async signalled(): Promise<string[]> {
      await signalSettings(NOT_ABORTED);
      const sent = signals;
      signals = [];
      return sent;
    },
  };
}

const DRAINED = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };

describe('the settings of a dispatcher', () => {
  it('are signalled once to the runs of finished Jobs that wait for their deletion (J-10.1)', async () => {
    const { signalled } = aDispatcher({
      jobs: [
        aJob('running'),
        aJob('ended', { isFinished: true }),
        aJob('expiring', { isFinished: true, expires: true }),
        aJob('expired', { isFinished: true, expires: true }),
      ],
      running: ['running', 'expiring'],
    });
    expect(await signalled()).toEqual(['expiring']);
    expect(await signalled()).toEqual([]);
  });

  it('are signalled to the run of a Job that expires under the new settings, and start a new run if the listed run has ended (J-10.1)', async () => {
    const jobs = [
      aJob('running', { expires: true }),
      aJob('ended', { isFinished: true }),
      aJob('expiring', { isFinished: true, expires: true }),
    ];
    const settings: Settings = { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'] };
    const { signalled } = aDispatcher({ jobs, running: ['running', 'expiring'], settings });
    expect(await signalled()).toEqual(['running', 'expiring, started if it has ended']);
  });

  it('are signalled to placed Jobs when the availability of a cluster changes, also to runs that no list shows yet (J-16.12)', async () => {
    const { signalled, report } = aDispatcher({
      jobs: [
        aJob('new', {}, 'PlacedJob'),
        aJob('resting', { isFinished: true }, 'PlacedJob'),
        aJob('over', { isFinished: true }, 'PlacedJob'),
      ],
      running: ['resting'],
    });
    expect(await signalled()).toEqual(['new', 'resting']);
    report(DRAINED);
    expect(await signalled()).toEqual(['new', 'resting']);
    report(DRAINED);
    expect(await signalled()).toEqual([]);
    report({});
    expect(await signalled()).toEqual(['new', 'resting']);
  });

  it('are signalled again when the first signal failed, so that no Job misses a drain', async () => {
    const { signalled, report, fail } = aDispatcher({
      jobs: [aJob('a', {}, 'PlacedJob'), aJob('b', {}, 'PlacedJob')],
    });
    await signalled();
    report(DRAINED);
    fail('b');
    await expect(signalled()).rejects.toThrow('14 UNAVAILABLE');
    fail(null);
    expect(await signalled()).toEqual(expect.arrayContaining(['a', 'b']));
    expect(await signalled()).toEqual([]);
  });

  it('are signalled to the runs of a returning partition, because these runs have the settings of another dispatcher', async () => {
    const { signalled, assignments } = aDispatcher({ jobs: [aJob('a', {}, 'PlacedJob')] });
    await signalled();
    assignments.set(0, anAssignment(0, aJob('a', {}, 'PlacedJob')));
    expect(await signalled()).toEqual(['a']);
  });
});
