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
  ])('selects the Job together with the options: %s %j', (argument, options, wanted) => {
    expect(wantedJob(argument, options)).toEqual(wanted);
  });

  it('may not contradict an option of the verb', () => {
    expect(() => wantedJob('batch/pi', { namespace: 'web' })).toThrow(
      '--namespace is "web", but the argument has "batch"',
    );
  });

  it.each([
    [
      'pi/../../x',
      '".." cannot be the name of a namespace: such a name has only lower-case letters, digits and "-"; expected',
    ],
    [
      'Pi',
      '"Pi" cannot be the name of a Job, CronJob or pod: such a name has only lower-case letters, digits, "-" and "."',
    ],
    ['p\ni\u001b[2J', String.raw`"p\ni\u001b[2J" cannot be the name`],
    [`batch/${'p'.repeat(254)}`, 'cannot be the name of a Job'],
  ])('must be a valid name of Kubernetes: %j', (argument, message) => {
    expect(() => wantedJob(argument, {})).toThrow(message);
  });

  it.each(['pi.v2', 'kube-system/pi-28', '7/7'])('may have the form %s', (argument) => {
    expect(() => wantedJob(argument, {})).not.toThrow();
  });

  it.each(['', '/', 'batch/', '/pi', '//pi'])('is refused when it is %j, which names no Job', (argument) => {
    expect(() => wantedJob(argument, {})).toThrow('names no Job, CronJob or pod; expected NAME');
  });
});
