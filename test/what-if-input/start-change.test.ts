import { describe, expect, it } from '@jest/globals';
import { InputError } from '../../services/adapters/errors.ts';
import { startChange } from '../../services/what-if-input/start-change.ts';

describe('the changed values of a CronJob in a what-if', () => {
  it('are read as plain words or JSON, and null removes a field', () => {
    expect(
      startChange([
        'spec.schedule=*/5 * * * *',
        'timeZone=null',
        'concurrencyPolicy=Replace',
        'suspend=false',
        'startingDeadlineSeconds=30',
        'successfulJobsHistoryLimit=0',
        'failedJobsHistoryLimit=null',
      ]),
    ).toEqual({
      schedule: '*/5 * * * *',
      timeZone: null,
      concurrencyPolicy: 'Replace',
      suspend: false,
      startingDeadlineSeconds: 30,
      successfulJobsHistoryLimit: 0,
      failedJobsHistoryLimit: null,
    });
  });

  it.each<[string, string[], RegExp]>([
    ['nothing', [], /give a change, for example --set spec.concurrencyPolicy=Forbid/],
    ['no schedule', ['schedule=null'], /spec.schedule is invalid/],
    ['an empty zone', ['timeZone='], /spec.timeZone is invalid/],
    ['an unknown policy', ['concurrencyPolicy=Never'], /spec.concurrencyPolicy is invalid: .*Forbid/],
    ['a negative deadline', ['startingDeadlineSeconds=-1'], /is invalid: .*>=0/],
    [
      'the template',
      ['spec.jobTemplate.spec.parallelism=2'],
      /cannot be varied: no fact shows how other Jobs/,
    ],
    ['a member of every object', ['spec.toString=1'], /there is no path "spec.toString"; the path is one of/],
    ['its constructor', ['spec.constructor=1'], /there is no path "spec.constructor"; the path is one of/],
    ['its prototype', ['__proto__.x=1'], /there is no path "__proto__.x"; the path is one of/],
    [
      'a field of a Job',
      ['backoffLimit=1'],
      /there is no path "backoffLimit"; the path is one of spec.schedule,/,
    ],
  ])('are refused with an explanation: %s', (_what, sets, message) => {
    expect(() => startChange(sets)).toThrow(message);
    expect(() => startChange(sets)).toThrow(InputError);
  });
});
