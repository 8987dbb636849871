import { describe, expect, it } from '@jest/globals';
import { span } from '../../services/cli/print/spans.ts';
import { fields, table } from '../../services/cli/print/table.ts';

describe('a duration', () => {
  it.each([
    [0, '0s'],
    [999, '0s'],
    [45_000, '45s'],
    [130_000, '2m10s'],
    [120_000, '2m'],
    [3_600_000 * 5 + 59_000, '5h'],
    [86_400_000 * 3 + 3_600_000 * 4, '3d4h'],
    [-5, '0s'],
  ])('%i ms is %s', (milliseconds, text) => {
    expect(span(1000, 1000 + milliseconds)).toBe(text);
  });
});

describe('a table', () => {
  it('has columns as wide as their widest cell', () => {
    expect(
      table(
        ['A', 'LONG'],
        [
          ['wide cell', 'x'],
          ['', 'y'],
        ],
      ),
    ).toBe('A           LONG\nwide cell   x\n            y');
  });

  it('of fields omits unknown ones', () => {
    expect(
      fields([
        ['Name', 'pi'],
        ['Deleted', null],
        ['Cluster', 'east'],
      ]),
    ).toBe('Name:     pi\nCluster:  east');
  });
});
