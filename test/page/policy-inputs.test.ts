import { describe, expect, it } from '@jest/globals';
import { toChanges, POLICY_INPUTS, toValues } from '../../page/what-if/policy-inputs.ts';
import { POLICY_FIELDS } from '../../workflows/history/what-if/types.ts';

describe('the form of the page for another policy in a what-if', () => {
  it('has every field that a what-if can change', () => {
    expect(POLICY_INPUTS.map(({ field }) => field).toSorted()).toEqual([...POLICY_FIELDS].toSorted());
  });

  it('sends only the fields that the user has filled in', () => {
    const values = new Map([
      ['backoffLimit', ' 3 '],
      ['completions', ''],
      ['podFailurePolicy', '{"rules":[]}'],
    ]);
    expect(toChanges(values)).toEqual(['backoffLimit=3', 'podFailurePolicy={"rules":[]}']);
  });

  it('is filled in from an address, in which a field may have the path that the command line uses', () => {
    const values = toValues(['spec.backoffLimit=3', 'podReplacementPolicy=Failed', 'nothing']);
    expect([...values]).toEqual([
      ['backoffLimit', '3'],
      ['podReplacementPolicy', 'Failed'],
    ]);
  });
});
