import { describe, expect, it } from '@jest/globals';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import { PLACED_JOB } from '../../workflows/placement/kind.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { step } from '../../workflows/placement/step.ts';
import type { StreamEvent } from '../../workflows/kind.ts';
import { at, CLUSTER, jobObject, START } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';

describe('the record of a decision about a placed Job', () => {
  it('has the availability of the home and of the candidates, and names no other cluster', () => {
    const { core } = PLACED_JOB;
    const job = jobObject({ name: 'mine', uid: 'u1', managedBy: 'jobledger.dev/placement' });
    const scope = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
    const facts = translateJob(scope, job, at(0)).events.flatMap(
      (event) => core.compact(event as StreamEvent) ?? [],
    );
    const state = core.fold(core.INITIAL_STATE, facts) as PlacementState;
    const output = { cordoned: { by: 'bob', at: START } };
    const candidates = {
      readAt: START,
      clusters: [
        { cluster: 'west', room: 3 },
        { cluster: 'south', room: 5 },
      ],
    };
    const { decision } = step({
      decider: {
        cluster: CLUSTER,
        jobUid: 'u1',
        placedJobUid: 'u1',
        subject: 'default/mine',
        firstRunId: 'c',
      },
      state,
      now: START,
      settings: { clusters: { 'finance-prod': output, south: output, [CLUSTER]: output }, candidates },
    });
    expect(decision?.decided.data.settings).toEqual({
      clusters: { south: output, [CLUSTER]: output },
      candidates,
    });
    expect(JSON.stringify(decision)).not.toContain('finance-prod');
    expect(decision?.decided.data.commands.map(({ kind }) => kind)).toEqual(['AddFinalizer', 'CreateMember']);
  });
});
