import { describe, expect, it } from '@jest/globals';
import { applyChange, emptyLiveSet, type LiveChange } from '../../services/ingester/live-set/live-set.ts';
import { addMemberDeleted, addMemberObserved } from '../../services/ingester/translate/translate-placed.ts';
import {
  translateJobDeletion,
  translateJob,
  type TranslationScope,
} from '../../services/ingester/translate/translate.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { jobObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';

const SCOPE: TranslationScope = { cluster: 'west', claim: 'managed', redaction: REDACTION };
const TIME = '2026-03-01T12:00:00.000Z';

const placed = (): Job => jobObject({ uid: 'u1', version: '10', managedBy: 'jobledger.dev/placement' });

function aMember(home = 'east/default/pi/home-uid'): Job {
  return jobObject({
    uid: 'u2',
    version: '20',
    annotations: { 'jobledger.dev/placed-for': home },
    status: { active: 1 },
  });
}

const eventIds = ({ events }: { events: readonly { id: string }[] }) => events.map(({ id }) => id);

function observed(scope: TranslationScope, job: Job, live = emptyLiveSet()) {
  return addMemberObserved(scope, live, job, translateJob(scope, job, TIME), TIME);
}

describe('a placed Job in its home (J-16.1)', () => {
  it('is recorded in a stream of its own kind', () => {
    const [event] = translateJob(SCOPE, placed(), TIME).events;
    expect(event).toMatchObject({
      id: 'west/job/u1/10',
      data: { cluster: 'west', jobUid: 'u1', placedJobUid: 'u1' },
    });
  });

  it('is recorded as deleted in the stream of its own kind, also when the watch missed the deletion', () => {
    const live = emptyLiveSet();
    for (const change of translateJob(SCOPE, placed(), TIME).changes) applyChange(live, change);
    const seen = translateJobDeletion(SCOPE, live, 'u1', {
      job: placed(),
      resourceVersion: '11',
      time: TIME,
    });
    const unseen = translateJobDeletion(SCOPE, live, 'u1', { resourceVersion: '10', time: TIME });
    expect(eventIds(seen)).toEqual(['west/job/u1/11/deleted']);
    expect(eventIds(unseen)).toEqual(['west/job/u1/gone']);
    for (const { events } of [seen, unseen]) expect(events[0]?.data).toMatchObject({ placedJobUid: 'u1' });
  });
});

describe('a Job that names a home (J-16.1)', () => {
  it('is also recorded in the stream of the placed Job', () => {
    const { events } = observed(SCOPE, aMember());
    expect(events.map(({ type }) => type)).toEqual(['job.observed', 'member.observed']);
    expect(events[1]).toMatchObject({
      id: 'east/home-uid/member/west/u2/20',
      source: 'west',
      subject: 'default/pi',
      data: {
        cluster: 'east',
        jobUid: 'home-uid',
        placedJobUid: 'home-uid',
        member: { cluster: 'west', uid: 'u2', resourceVersion: '20', status: { active: 1 } },
      },
    });
  });

  it('is recorded in the stream of the placed Job with its changes but not with its creation, which the outcome of the command shows', () => {
    const created = { ...aMember(), status: {} };
    const { events, changes } = observed(SCOPE, created);
    expect(events.map(({ type }) => type)).toEqual(['job.observed']);
    expect(changes).toMatchObject([{ entry: { home: { uid: 'home-uid' } } }]);
    const changed = [
      { ...created, metadata: { ...created.metadata, generation: 2 } },
      { ...created, metadata: { ...created.metadata, deletionTimestamp: TIME } },
    ];
    for (const job of changed) expect(observed(SCOPE, job).events).toHaveLength(2);
  });

  it('stays recorded in the stream of the placed Job when another client removes its annotation', () => {
    const live = emptyLiveSet();
    for (const change of observed(SCOPE, aMember()).changes) applyChange(live, change);
    const bare = jobObject({ uid: 'u2', version: '21', status: { active: 1 } });
    expect(eventIds(observed(SCOPE, bare, live))).toContain('east/home-uid/member/west/u2/21');
    expect(observed(SCOPE, bare, live).changes).toMatchObject([{ entry: { home: { uid: 'home-uid' } } }]);
  });

  it('is not recorded in the stream of a placed Job when the home is in another namespace', () => {
    expect(observed(SCOPE, aMember('east/other/pi/home-uid')).events).toHaveLength(1);
  });

  it('is not recorded in another stream when the home cannot be a placed Job', () => {
    const live = emptyLiveSet();
    const add = ({ changes }: { changes: LiveChange[] }) => {
      for (const change of changes) applyChange(live, change);
    };
    add(translateJob(SCOPE, jobObject({ name: 'pi', uid: 'of-no-placement' }), TIME));
    add(translateJob(SCOPE, { ...placed(), metadata: { ...placed().metadata, name: 'other' } }, TIME));
    add({
      changes: [
        {
          resource: 'cronjobs',
          uid: 'a-cron-job',
          entry: { namespace: 'default', name: 'pi', resourceVersion: '1' },
        },
      ],
    });
    const homes = ['west/default/pi/of-no-placement', 'west/default/pi/a-cron-job', 'west/default/pi/u1'];
    const texts = [
      `east/default/pi/${'u'.repeat(65)}`,
      `${'c'.repeat(254)}/default/pi/u`,
      'east/default/pi/u 1',
    ];
    for (const home of [...homes, ...texts]) {
      expect(observed(SCOPE, aMember(home), live).events).toHaveLength(1);
      const at = { job: aMember(home), resourceVersion: '21', time: TIME };
      expect(
        addMemberDeleted(SCOPE, live, 'u2', translateJobDeletion(SCOPE, live, 'u2', at), at).events,
      ).toHaveLength(1);
    }
    expect(observed(SCOPE, aMember('west/default/other/u1'), live).events).toHaveLength(2);
  });

  it('is recorded in the stream of the placed Job as deleted, also when the watch missed the deletion (J-16.19)', () => {
    const live = emptyLiveSet();
    for (const change of observed(SCOPE, aMember()).changes) applyChange(live, change);
    const deleted = (at: { job?: Job; resourceVersion: string; time: string }) =>
      addMemberDeleted(SCOPE, live, 'u2', translateJobDeletion(SCOPE, live, 'u2', at), at).events.at(-1);
    expect(deleted({ job: aMember(), resourceVersion: '21', time: TIME })).toMatchObject({
      id: 'east/home-uid/member/west/u2/21/deleted',
      type: 'member.deleted',
      data: { cluster: 'east', jobUid: 'home-uid', member: { cluster: 'west', uid: 'u2', name: 'pi' } },
    });
    expect(deleted({ resourceVersion: '20', time: TIME })?.id).toBe(
      'east/home-uid/member/west/u2/gone/deleted',
    );
  });
});
