import { isColoured, statusPaint } from '../../cli/print/colour.ts';
import { describe, expect, it } from '@jest/globals';
import { span } from '../../cli/print/spans.ts';
import { fields, table } from '../../cli/print/table.ts';

describe('the text of a duration', () => {
  it.each([
    [0, '0s'],
    [999, '0s'],
    [45_000, '45s'],
    [130_000, '2m10s'],
    [120_000, '2m'],
    [3_600_000 * 5 + 59_000, '5h'],
    [86_400_000 * 3 + 3_600_000 * 4, '3d4h'],
    [-5, '0s'],
  ])('has at most two units: %i ms becomes %s', (milliseconds, text) => {
    expect(span(1000, 1000 + milliseconds)).toBe(text);
  });
});

describe('a table that a verb prints', () => {
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

  it('omits unknown fields when the user selects fields', () => {
    expect(
      fields([
        ['Name', 'pi'],
        ['Deleted', null],
        ['Cluster', 'east'],
      ]),
    ).toBe('Name:     pi\nCluster:  east');
  });
});

describe('colours', () => {
  it.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['a terminal without colours', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('are used exactly where a terminal can show them: %s, %j %j', (_what, stream, environment, used) => {
    expect(isColoured(stream, environment)).toBe(used);
  });

  it('mark the status word and do not change the width of its cell', () => {
    expect(statusPaint(true)('Failed (deleted)  ')).toBe('\u001B[31mFailed\u001B[39m (deleted)  ');
    expect(statusPaint(true)('Unknown')).toBe('Unknown');
    expect(statusPaint(false)('Failed')).toBe('Failed');
  });
});
