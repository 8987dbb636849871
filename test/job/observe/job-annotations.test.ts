import { describe, expect, it } from '@jest/globals';
import { jobAnnotations } from '../../../workflows/job/observe/job-annotations.ts';
import { aJob } from '../../support/builders.ts';

const SECONDS = 'jobledger.dev/backoff-seconds';
const LIMIT = 'jobledger.dev/failed-pods-limit';
const EVENTS = 'jobledger.dev/start-and-finish-events';

describe('the annotations of a Job (J-12.8)', () => {
  it('are read into its facts', () => {
    const { job } = aJob({ annotations: { [SECONDS]: '3', [LIMIT]: '2', [EVENTS]: 'true' } });
    expect(job.annotations).toEqual({ backoffSeconds: 3, failedPodsLimit: 2, startAndFinishEvents: true });
  });

  it.each([
    ['without annotations', undefined],
    ['with annotations of other programs', { 'example.com/note': '3' }],
    ['with Events switched off', { [EVENTS]: 'false' }],
  ])('add no field to the facts of a Job %s', (_words, annotations) => {
    expect(jobAnnotations(annotations)).toBeUndefined();
    expect(aJob({ ...(annotations && { annotations }) }).job).not.toHaveProperty('annotations');
  });

  it.each([
    [SECONDS, '0', { backoffSeconds: 0 }],
    [SECONDS, '2147483647', { backoffSeconds: 2_147_483_647 }],
    [LIMIT, '0', { failedPodsLimit: 0 }],
    [LIMIT, '1000', { failedPodsLimit: 1000 }],
  ])('include %s with the value %s', (name, value, read) => {
    expect(jobAnnotations({ [name]: value })).toEqual(read);
  });

  it.each([
    [SECONDS, '', 'a whole number from 0 to 2147483647'],
    [SECONDS, '-1', 'a whole number from 0 to 2147483647'],
    [SECONDS, '1.5', 'a whole number from 0 to 2147483647'],
    [SECONDS, ' 3', 'a whole number from 0 to 2147483647'],
    [SECONDS, '2147483648', 'a whole number from 0 to 2147483647'],
    [LIMIT, '1001', 'a whole number from 0 to 1000'],
    [EVENTS, 'yes', '"true" or "false"'],
  ])('may be invalid, and are then only reported: %s with the value "%s"', (name, value, allowed) => {
    expect(jobAnnotations({ [name]: value })).toEqual({
      invalid: [`${name} is ignored: "${value}" is not ${allowed}`],
    });
  });

  it('are read separately, so that an invalid annotation does not affect the other annotations', () => {
    expect(jobAnnotations({ [SECONDS]: 'x', [LIMIT]: '2' })).toMatchObject({ failedPodsLimit: 2 });
  });

  it('are reported when they are invalid, with at most 100 characters of the value', () => {
    const [report] = jobAnnotations({ [SECONDS]: 'x'.repeat(101) })?.invalid ?? [];
    expect(report).toBe(
      `${SECONDS} is ignored: "${'x'.repeat(100)}" is not a whole number from 0 to 2147483647`,
    );
  });
});

describe('the annotation jobledger.dev/after (J-12.6)', () => {
  const AFTER = 'jobledger.dev/after';

  it.each([
    ['extract', [{ job: 'extract', end: 'Succeeded' }]],
    [
      ' a=Failed ,b.c-1 = Finished,d=Succeeded',
      [
        { job: 'a', end: 'Failed' },
        { job: 'b.c-1', end: 'Finished' },
        { job: 'd', end: 'Succeeded' },
      ],
    ],
  ])('may be "%s"', (text, after) => {
    expect(jobAnnotations({ [AFTER]: text })).toEqual({ after });
  });

  it.each([
    '',
    'a,',
    'a b',
    'A',
    '-a',
    'a=',
    'a=Done',
    'a=succeeded',
    'ns/a',
    'a,a=Failed',
    Array.from({ length: 101 }, (_none, at) => `job-${at}`).join(),
  ])('may not be "%s"', (text) => {
    const { after, invalid } = jobAnnotations({ [AFTER]: text }) ?? {};
    expect(after).toBeUndefined();
    expect(invalid).toEqual([expect.stringContaining('is not a list of at most 100 other Jobs, each once')]);
  });
});
