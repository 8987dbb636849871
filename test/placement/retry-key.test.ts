import { describe, expect, it } from '@jest/globals';
import { isKeyOfCluster, retryKey } from '../../workflows/placement/definitions/retry-key.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import { after, aGrant, aMember, anOutcome, aPlacedJob, aStateWith, DECIDER } from './a-placed-job.ts';

describe('the key under which errors of commands are counted (J-16.20)', () => {
  it.each([
    ['CreateMember@west', 'west', true],
    ['CreateMember@admin@west', 'admin@west', true],
    ['CreateMember@admin@west', 'west', false],
    ['CreateMember@west', 'est', false],
    ['WriteStatus', 'WriteStatus', false],
  ])(
    'contains the name of its cluster: the key %s belongs to the cluster %s: %s',
    (key, cluster, isOfCluster) => {
      expect(isKeyOfCluster(key, cluster)).toBe(isOfCluster);
    },
  );

  it.each([{ givenUp: '0-1' }, { gone: 'another' }])(
    'differs between two queries about a member, so that an answer to one resets no count of the other (%j)',
    (question) => {
      const why = { rule: 'J-16.6', message: 'a question' } as const;
      const about = {
        kind: 'LookUpMember',
        cluster: 'west',
        grant: 1,
        name: 'pi',
        uid: 'member-uid',
      } as const;
      const key = retryKey({ ...about, ...question, why });
      expect(isKeyOfCluster(key, 'west')).toBe(true);
      const retries = { [key]: { errors: 3, until: after(60), message: 'a pod has not ended' } };
      const state = { ...aStateWith(aPlacedJob(), aGrant()), retries };
      const verdict = { commands: [{ ...about, why }], nextDecisionAt: null, waiting: null };
      const { decided } = decisionRecord(DECIDER, state, verdict, after(5), {});
      const outcome = {
        kind: 'LookUpMember',
        result: 'done',
        member: aMember(),
        pods: { open: 0 },
        listedAt: '900',
      } as const;
      const answered = anOutcome(decided, { ...outcome, at: after(6) });
      expect(fold(state, [decided, answered]).retries).toEqual(retries);
    },
  );
});
