import { describe, expect, it } from '@jest/globals';
import {
  isConsideredFailed,
  replacesFailedOnly,
} from '../../../workflows/job/definitions/pod-replacement.ts';
import type { PodState } from '../../../workflows/job/state.ts';
import { jobObject, type JobFields } from '../../support/builders.ts';

const created = 0;
const deleting = { created, deleting: true } as const;

describe('the replacement of only failed pods (J-0.4)', () => {
  it.each<{ job: JobFields; only: boolean }>([
    { job: {}, only: false },
    { job: { podReplacementPolicy: 'TerminatingOrFailed' }, only: false },
    { job: { podReplacementPolicy: 'Failed' }, only: true },
    { job: { podFailurePolicy: { rules: [] } }, only: true },
  ])('applies to a Job with $job: $only', ({ job, only }) => {
    expect(replacesFailedOnly(jobObject(job).spec)).toBe(only);
  });
});

describe('whether a pod counts as failed (J-4.19, J-5.37)', () => {
  it.each<{ pod: PodState; otherwise: boolean; failedOnly: boolean }>([
    { pod: { created, phase: 'Failed' }, otherwise: true, failedOnly: true },
    { pod: { ...deleting, phase: 'Failed' }, otherwise: true, failedOnly: true },
    { pod: deleting, otherwise: true, failedOnly: false },
    { pod: { ...deleting, phase: 'Pending' }, otherwise: true, failedOnly: false },
    { pod: { ...deleting, phase: 'Succeeded' }, otherwise: false, failedOnly: false },
    { pod: { created }, otherwise: false, failedOnly: false },
  ])(
    'depends on the replacement policy: $pod is $otherwise by default, and $failedOnly under podReplacementPolicy Failed',
    (row) => {
      expect(isConsideredFailed(jobObject().spec, row.pod)).toBe(row.otherwise);
      const { spec } = jobObject({ podReplacementPolicy: 'Failed' });
      expect(isConsideredFailed(spec, row.pod)).toBe(row.failedOnly);
    },
  );
});
