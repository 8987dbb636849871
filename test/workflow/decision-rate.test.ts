import { describe, expect, it } from '@jest/globals';
import { createDecisionRate } from '../../workflows/decision-rate.ts';

const SECOND = 1000;

function aWrite(resourceVersion: string) {
  return [
    {
      kind: 'WriteStatus',
      resourceVersion,
      to: { failed: 1 },
      why: { rule: 'J-4.11', message: resourceVersion },
    },
  ];
}

describe('a workflow run that repeats the same decision', () => {
  it('waits after 100 decisions within a minute, longer each time, even if its commands name other versions each time', () => {
    const rate = createDecisionRate();
    let now = 0;
    for (let at = 0; at < 100; at += 1) expect(rate.count((now += 10), aWrite(String(at)))).toBeNull();
    const waits: number[] = [];
    for (let at = 0; at < 8; at += 1) {
      const slowed = rate.count(now, aWrite('x'));
      expect(slowed?.isNews).toBe(at === 0);
      waits.push(((slowed?.until ?? now) - now) / SECOND);
      now = slowed?.until ?? now;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('waits also when it alternates between two decisions, each repeated 100 times', () => {
    const rate = createDecisionRate();
    const slowed = Array.from({ length: 202 }, (_none, at) =>
      rate.count(at, [{ kind: at % 2 === 0 ? 'ReleasePods' : 'WriteStatus' }]),
    );
    expect(slowed.findIndex((each) => each !== null)).toBe(200);
  });

  it('does not wait any more after a minute without that decision', () => {
    const rate = createDecisionRate();
    for (let at = 0; at <= 100; at += 1) rate.count(at, aWrite('1'));
    expect(rate.count(100 + 2 * 60 * SECOND, aWrite('1'))).toBeNull();
  });
});

describe('a workflow run that does not repeat commands', () => {
  it('never waits before a decision', () => {
    const rate = createDecisionRate();
    for (let at = 0; at < 1000; at += 1)
      expect(rate.count(at, [{ kind: 'CreatePods', pods: [{ ordinal: at, name: `pi-${at}` }] }])).toBeNull();
  });

  it('does not wait before decisions without commands either', () => {
    const rate = createDecisionRate();
    for (let at = 0; at < 1000; at += 1) expect(rate.count(at, [])).toBeNull();
  });
});
