import { describe, expect, it } from '@jest/globals';
import { toChanges, POLICY_INPUTS, toValues } from '../../page/what-if/policy-inputs.ts';
import { POLICY_FIELDS } from '../../workflows/history/what-if/types.ts';

describe('the form for another policy', () => {
  it('has every field that a what-if can change', () => {
    expect(POLICY_INPUTS.map(({ field }) => field).toSorted()).toEqual([...POLICY_FIELDS].toSorted());
  });

  it('sends the fields that the user has filled', () => {
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
