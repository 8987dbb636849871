import { describe, expect, it } from '@jest/globals';
import {
  podGroupName,
  podGroupTemplateName,
  workloadName,
} from '../../../workflows/job/definitions/gang-names.ts';

// The expected hashes were printed by a Go program with the hash and the encoding of the libraries of Kubernetes 1.36.3.
const UID = '12345678-1234-1234-1234-123456789abc';
const a = (times: number): string => 'a'.repeat(times);
const b = (times: number): string => 'b'.repeat(times);

describe('the name of a Workload (J-8.6)', () => {
  it.each([
    ['is the name of the Job and a hash of its UID', 'train', UID, 'train-76d6bd77c4'],
    [
      'differs for a Job that was created again under the same name',
      'train',
      'aaaaaaaa-0000-4000-8000-000000000001',
      'train-59b47dfbbd',
    ],
    ['has 253 characters at most; the name of the Job is cut', a(253), UID, `${a(242)}-76d6bd77c4`],
  ])('has the form that upstream gives it: it %s', (_sentence, name, uid, expected) => {
    expect(workloadName({ name, uid })).toBe(expected);
  });
});

describe('the name of a PodGroup (J-8.7)', () => {
  it.each([
    [
      'consists of the names of Workload and template, and a hash of both',
      'train-x',
      'train-pgt-0',
      'train-x-train-pgt-0-75f65687b9',
    ],
    [
      'is made in the same way for a Workload of another client',
      'my-workload',
      'workers',
      'my-workload-workers-6d4d5f45b6',
    ],
    [
      'cuts a long Workload name, and leaves a short template name',
      a(253),
      'short',
      `${a(236)}-short-5857b5957d`,
    ],
    [
      'cuts a long template name, and leaves a short Workload name',
      'short',
      b(253),
      `short-${b(236)}-669b44dc69`,
    ],
    ['gives each name half of the room when both are long', a(200), b(200), `${a(121)}-${b(120)}-579c6b758f`],
    [
      'gives the template name the room that a short Workload name leaves',
      a(119),
      b(253),
      `${a(119)}-${b(122)}-5db58488b4`,
    ],
    ['cuts nothing that just fits', a(121), b(120), `${a(121)}-${b(120)}-689c9b85b8`],
    [
      'cuts one character of the template when one is too many',
      a(121),
      b(121),
      `${a(121)}-${b(120)}-86bc5f997d`,
    ],
    ['gives the Workload the odd character', a(122), b(250), `${a(121)}-${b(120)}-644fb584b7`],
  ])('has the form that upstream gives it: it %s', (_sentence, workload, template, expected) => {
    expect(podGroupName(workload, template)).toBe(expected);
  });
});

it('the only PodGroup template of a Workload is named after the Job, with the suffix -pgt-0 (J-8.4)', () => {
  expect(podGroupTemplateName({ name: 'train' })).toBe('train-pgt-0');
});
