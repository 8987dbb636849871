import { describe, expect, it } from '@jest/globals';
import {
  areOursAlready,
  findOtherWriters,
  type WrittenObject,
} from '../../services/worker/status-writers.ts';
import { jobObject } from '../support/builders.ts';

type Write = [manager: string, time: string, fields?: string[]];

/** A Job with the managed fields of its status writes. */
function aWrittenObject(writes: Write[], spec: Partial<WrittenObject['spec']> = {}): WrittenObject {
  const job = jobObject({});
  const { managedBy: _managedBy, ...rest } = job.spec;
  const managedFields = writes.map(([manager, time, fields = ['f:active', 'f:ready']]) => ({
    manager,
    operation: 'Update',
    subresource: 'status',
    time,
    fieldsV1: { 'f:status': Object.fromEntries(fields.map((field) => [field, {}])) },
  }));
  return { ...job, metadata: { ...job.metadata, managedFields }, spec: { ...rest, ...spec } };
}

const BUILT_IN = 'kube-controller-manager';
const at = (second: number): string => `2026-01-01T00:00:0${second}Z`;

describe('another controller that wrote the status of a Job', () => {
  it('is none when the status was never written', () => {
    expect([...findOtherWriters(jobObject({}))]).toEqual([]);
  });

  it('is a manager that wrote a counter, with the time of its last write', () => {
    expect([...findOtherWriters(aWrittenObject([[BUILT_IN, at(1)]]))]).toEqual([[BUILT_IN, at(1)]]);
  });

  it('is not Jobledger, nor a manager that only added a condition (J-1.23)', () => {
    const job = aWrittenObject([
      ['jobledger', at(1)],
      ['kubectl', at(2), ['f:conditions']],
    ]);
    expect([...findOtherWriters(job)]).toEqual([]);
  });

  it('is not a manager that wrote the spec', () => {
    const job = aWrittenObject([]);
    const managedFields = [{ manager: 'kubectl', time: at(1), fieldsV1: { 'f:spec': { 'f:suspend': {} } } }];
    expect([...findOtherWriters({ ...job, metadata: { ...job.metadata, managedFields } })]).toEqual([]);
  });
});

describe('the check whether Jobledger already controls the Jobs of a cluster', () => {
  it.each<[string, WrittenObject[], boolean]>([
    ['no: there are none', [], false],
    ['no: none has a status yet', [aWrittenObject([])], false],
    ['no: another controller wrote them all', [aWrittenObject([[BUILT_IN, at(1)]])], false],
    ['yes: only we wrote', [aWrittenObject([['jobledger', at(1)]])], true],
    [
      'yes: we wrote after the previous controller',
      [
        aWrittenObject([
          [BUILT_IN, at(1)],
          ['jobledger', at(2)],
        ]),
        aWrittenObject([[BUILT_IN, at(1)]]),
      ],
      true,
    ],
    [
      'no: another controller wrote last, on a Job that we never wrote',
      [aWrittenObject([['jobledger', at(1)]]), aWrittenObject([[BUILT_IN, at(2)]])],
      false,
    ],
    [
      'no: another controller wrote after us on one Job, although we wrote later on others',
      [
        aWrittenObject([
          ['jobledger', at(1)],
          [BUILT_IN, at(2)],
        ]),
        aWrittenObject([['jobledger', at(3)]]),
      ],
      false,
    ],
    [
      'yes: Jobs of other managers by managedBy do not count',
      [
        aWrittenObject([['jobledger', at(1)]]),
        aWrittenObject([['acme', at(2)]], { managedBy: 'acme.io/other' }),
      ],
      true,
    ],
  ])('answers %s', (_words, jobs, answer) => {
    expect(areOursAlready(jobs)).toBe(answer);
  });
});
