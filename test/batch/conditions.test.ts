import { describe, expect, it } from '@jest/globals';
import {
  conditionAt,
  isFinished,
  isOwnCondition,
  trueCondition,
  withCondition,
} from '../../workflows/batch/conditions.ts';
import { mergedConditions } from '../../services/worker/command/replace-status.ts';
import { aFailedPod, aJob, at } from '../support/builders.ts';
import { given, writtenStatus } from '../support/given.ts';

const foreign = { type: 'example.com/Quota', status: 'True', reason: 'Granted' };
const failing = conditionAt(at(0), { type: 'FailureTarget', status: 'True', reason: 'x', message: 'm' });

describe('the conditions of a Job (J-1.23)', () => {
  it('have the times of the last probe and of the last transition', () => {
    expect(failing).toMatchObject({ lastProbeTime: at(0), lastTransitionTime: at(0) });
  });

  it('are added at the end, and replaced in place (B-8)', () => {
    const added = withCondition([foreign], failing);
    expect(added).toEqual([foreign, failing]);
    const replaced = { ...failing, reason: 'y' };
    expect(withCondition([failing, foreign], replaced)).toEqual([replaced, foreign]);
  });

  it('end a Job only when their status is True (J-0.4)', () => {
    expect(isFinished({ conditions: [{ type: 'Failed', status: 'False' }] })).toBe(false);
    expect(isFinished({ conditions: [{ type: 'Complete', status: 'True' }] })).toBe(true);
    expect(isFinished({ conditions: [failing] })).toBe(false);
    expect(trueCondition({ conditions: [{ type: 'Failed', status: 'Unknown' }] }, 'Failed')).toBeUndefined();
  });

  it('belong to another controller when Jobledger does not write their type, and then retain their place', () => {
    expect(isOwnCondition(foreign)).toBe(false);
    const { verdict } = given(
      aJob({ parallelism: 1, completions: 1, backoffLimit: 0, status: { conditions: [foreign] } }),
    )
      .and(aFailedPod())
      .when(null);
    expect(writtenStatus(verdict).conditions?.map(({ type }) => type)).toEqual([
      foreign.type,
      'FailureTarget',
      'Failed',
    ]);
  });

  it('are written as decided for the types of Jobledger, and as they are on the API server for other types (J-1.25)', () => {
    const live = [foreign, { ...failing, reason: 'old' }, { type: 'Suspended', status: 'True' }];
    const stale = { ...foreign, reason: 'Stale' };
    expect(mergedConditions({ isOwn: isOwnCondition }, live, [stale, failing])).toEqual([foreign, failing]);
  });
});
