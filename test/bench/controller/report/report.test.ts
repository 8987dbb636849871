import { numberText, figuresTable } from './report.ts';

describe('the report of the controller benchmark', () => {
  const round = (side: string, number: number, figures: Record<string, number>) => ({
    side,
    round: number,
    figures,
  });

  it('has a row for each figure: median, range, and the ratio of medians', () => {
    const table = figuresTable([
      round('builtin-lifted', 1, { 'Jobs/s': 40 }),
      round('jobledger', 1, { 'Jobs/s': 10, 'signals a Job': 2 }),
      round('builtin-lifted', 2, { 'Jobs/s': 40 }),
      round('jobledger', 2, { 'Jobs/s': 30, 'signals a Job': 2 }),
    ]);
    expect(table.split('\n')).toEqual([
      '|  | builtin-lifted | jobledger | jobledger / builtin-lifted |',
      '| --- | ---: | ---: | ---: |',
      '| Jobs/s | 40 | 20 (10 to 30) | 0.5 |',
      '| signals a Job |  | 2 |  |',
      '',
    ]);
  });

  it('groups the parts of a figure and omits parts that are nearly zero', () => {
    const table = figuresTable([
      round('builtin-lifted', 1, { 'CPU: all': 1, 'Jobs/s': 0.01 }),
      round('jobledger', 1, { 'CPU: worker': 2, 'CPU: rest': 0.04, 'Jobs/s': 0.01 }),
    ]);
    const names = table.split('\n').map((line) => line.split('|')[1]?.trim());
    expect(names.slice(2, -1)).toEqual(['CPU: all', 'CPU: worker', 'Jobs/s']);
  });

  it.each([
    [1234.56, '1235'],
    [12.345, '12.3'],
    [0.012345, '0.0123'],
    [0, '0'],
  ])('writes %d as %s', (value, text) => expect(numberText(value)).toBe(text));
});
