import { describe, expect, it } from '@jest/globals';
import { wantedJob } from '../../cli/job-argument.ts';

describe('the argument that names a Job', () => {
  it.each([
    ['pi', {}, { name: 'pi' }],
    ['batch/pi', {}, { name: 'pi', namespace: 'batch' }],
    ['east/batch/pi', {}, { name: 'pi', namespace: 'batch', cluster: 'east' }],
    [
      'arn:aws:eks:eu-1:7:cluster/east/batch/pi',
      {},
      { name: 'pi', namespace: 'batch', cluster: 'arn:aws:eks:eu-1:7:cluster/east' },
    ],
    [
      'pi',
      { namespace: 'batch', cluster: 'east', uid: 'u' },
      { name: 'pi', namespace: 'batch', cluster: 'east', uid: 'u' },
    ],
    ['batch/pi', { namespace: 'batch' }, { name: 'pi', namespace: 'batch' }],
  ])('%s %j', (argument, options, wanted) => {
    expect(wantedJob(argument, options)).toEqual(wanted);
  });

  it('may not contradict an option', () => {
    expect(() => wantedJob('batch/pi', { namespace: 'web' })).toThrow(
      '--namespace is "web", but the argument has "batch"',
    );
  });

  it.each(['', '/', 'batch/', '/pi', '//pi'])('names no Job as %j', (argument) => {
    expect(() => wantedJob(argument, {})).toThrow('is not a Job');
  });
});
