import { describe, expect, it } from '@jest/globals';
import { parsePreferences } from '../../workflows/placement/observe/preferences.ts';

function preferences(name: string, text: string) {
  return parsePreferences({ [`jobledger.dev/${name}`]: text });
}

describe('the annotations of a placed Job (J-16.2)', () => {
  it('have defaults: spill-after is two minutes, and a Job waits for a lost cluster', () => {
    expect(parsePreferences()).toEqual({ spillAfterMs: 120_000, ifLost: { kind: 'Wait' } });
  });

  it.each([
    ['clusters', 'west, east', { clusters: { names: ['west', 'east'] } }],
    ['clusters', 'region=eu,gpu=a100', { clusters: { labels: { region: 'eu', gpu: 'a100' } } }],
    ['spill-after', '90s', { spillAfterMs: 90_000 }],
    ['spill-after', '1h', { spillAfterMs: 3_600_000 }],
    ['if-cluster-is-lost', 'MoveWhenStopped=5m', { ifLost: { kind: 'MoveWhenStopped', afterMs: 300_000 } }],
    ['if-cluster-is-lost', 'MoveAfter = 30m', { ifLost: { kind: 'MoveAfter', afterMs: 1_800_000 } }],
  ])('are read: %s with the value %s', (name, text, expected) => {
    const { invalid, ...rest } = preferences(name, text);
    expect(invalid).toBeUndefined();
    expect(rest).toMatchObject(expected);
  });

  it.each([
    ['clusters', ''],
    ['clusters', 'west, west'],
    ['clusters', 'west, region=eu'],
    ['clusters', Array.from({ length: 101 }, (_none, at) => `c${at}`).join(',')],
    ['spill-after', '0s'],
    ['spill-after', '1.5m'],
    ['spill-after', 'PT5M'],
    ['if-cluster-is-lost', 'Move'],
    ['if-cluster-is-lost', 'MoveAfter'],
    ['if-cluster-is-lost', 'Wait=5m'],
  ])('are reported as invalid: %s with the value "%s"', (name, text) => {
    const { invalid } = preferences(name, text);
    expect(invalid).toHaveLength(1);
    expect(invalid?.[0]).toContain(`jobledger.dev/${name} "${text.slice(0, 100)}" is not `);
  });
});
