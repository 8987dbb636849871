import { describe, expect, it } from '@jest/globals';
import { toChanges, POLICY_INPUTS, toValues } from '../../page/what-if/policy-inputs.ts';
import { POLICY_FIELDS } from '../../workflows/history/what-if/types.ts';

describe('the form of another policy', () => {
  it('has every field that can be varied', () => {
    expect(POLICY_INPUTS.map(({ field }) => field).toSorted()).toEqual([...POLICY_FIELDS].toSorted());
  });

  it('asks for the fields that are filled', () => {
    const values = new Map([
      ['backoffLimit', ' 3 '],
      ['completions', ''],
      ['podFailurePolicy', '{"rules":[]}'],
    ]);
    expect(toChanges(values)).toEqual(['backoffLimit=3', 'podFailurePolicy={"rules":[]}']);
  });

  it('is filled again from an address, also from paths of the command line', () => {
    const values = toValues(['spec.backoffLimit=3', 'podReplacementPolicy=Failed', 'nothing']);
    expect([...values]).toEqual([
      ['backoffLimit', '3'],
      ['podReplacementPolicy', 'Failed'],
    ]);
  });
});
