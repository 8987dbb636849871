import { describe, expect, it } from '@jest/globals';
import { aJob, at } from '../../support/builders.ts';
import { given } from '../../support/given.ts';

const SECONDS = 'jobledger.dev/backoff-seconds';
const EVENTS = 'jobledger.dev/start-and-finish-events';
const started = { startTime: at(0), ready: 0, terminating: 0, active: 1 };

function aJobWith(annotations: Record<string, string>): ReturnType<typeof aJob> {
  return aJob({ parallelism: 1, completions: 1, status: started, annotations });
}

function warning(value: string): string {
  return `Warning InvalidAnnotation: ${SECONDS} is ignored: "${value}" is not a whole number from 0 to 2147483647`;
}

describe('a Job with an invalid annotation (J-12.8)', () => {
  const first = given(aJobWith({ [SECONDS]: 'soon' })).when(null);

  it('gets a warning before any other command', () => {
    first.thenCommands('event InvalidAnnotation', '+1').thenReports(warning('soon'));
    expect(first.verdict.commands[0]?.why).toEqual({
      rule: 'J-12.8',
      message: 'an invalid annotation is ignored',
    });
  });

  it('gets one warning, also when other fields of the Job change', () => {
    first.recorded().when(null).thenReports();
    first
      .recorded()
      .when(aJobWith({ [SECONDS]: 'soon' }))
      .thenReports();
  });

  it('gets another warning for another value', () => {
    first
      .recorded()
      .when(aJobWith({ [SECONDS]: 'later' }))
      .thenReports(warning('later'));
  });

  it('gets a warning for a second invalid annotation, and no warning when an annotation is corrected', () => {
    const both = { [SECONDS]: 'soon', [EVENTS]: 'no' };
    const next = first.recorded().when(aJobWith(both));
    next.thenReports(`Warning InvalidAnnotation: ${EVENTS} is ignored: "no" is not "true" or "false"`);
    next
      .recorded()
      .when(aJobWith({ [SECONDS]: 'soon' }))
      .thenReports();
  });
});
