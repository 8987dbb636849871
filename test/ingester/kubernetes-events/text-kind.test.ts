import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { textKind } from '../../../services/ingester/kubernetes-events/text-kind.ts';

describe('the kind of a text', () => {
  it.each([
    [
      '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.',
      '0/12 nodes are available: 11 Insufficient cpu, 1 node(s) had untolerated taint(s). preemption: 0/12 nodes are available: 12 No preemption victims found for incoming pod.',
    ],
    [
      'Back-off 10s restarting failed container=main pod=pi-x7k2q_default(5f2b)',
      'Back-off 2m40s restarting failed container=main pod=pi-b91zz_default(77aa)',
    ],
    [
      'pod triggered scale-up: [{https://example.com/group-a 1->2 (max: 5)}]',
      'pod triggered scale-up: [{https://example.com/group-b 3->7 (max: 9)} {c 0->1 (max: 1)}]',
    ],
    ['Preempted by pod 11f0a-22 on node node-1', 'Preempted by pod 9c0de-77 on node node-2'],
    ['MountVolume.SetUp failed for volume "data"', 'MountVolume.SetUp failed for volume "logs"'],
  ])('is equal when only numbers, names, durations or their order differ: %s', (a, b) => {
    expect(textKind(a)).toBe(textKind(b));
  });

  it.each([
    ['0/3 nodes are available: 3 Insufficient cpu.', '0/3 nodes are available: 3 Insufficient memory.'],
    [
      '0/3 nodes are available: 3 Insufficient cpu.',
      '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.',
    ],
    ["2 node(s) didn't match pod affinity rules", "2 node(s) didn't match pod topology spread constraints"],
  ])('differs when the words differ: %s', (a, b) => {
    expect(textKind(a)).not.toBe(textKind(b));
  });

  it('is found quickly for any text', () => {
    for (const part of ['"', '{', 'a-', '[', "'", 'a.b_', ':', ' 1', '@@'])
      expect(textKind(part.repeat(1024))).toEqual(expect.any(String));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => textKind(text) === textKind(text)));
  });
});
