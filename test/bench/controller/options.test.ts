import { loadText, readOptions, schedule } from './options.ts';

function fail(message: string): never {
  throw new Error(message);
}

function givenLoad(...args: string[]): string {
  return loadText(readOptions(args, fail).load);
}

describe('the options of the controller benchmark', () => {
  it.each([
    [[], '1000 Jobs of 1 pod each, created at once'],
    [['--rate', '5', '--seconds', '600'], '3000 Jobs of 1 pod each, 5 created each second'],
    [['--jobs', '100', '--pods', '20'], '100 Jobs of 20 pods each, created at once'],
    [
      ['--jobs', '1', '--indexed', '--pods', '10000', '--parallelism', '1000'],
      '1 Indexed Job of 10000 pods at parallelism 1000, created at once',
    ],
  ])('give the requested load: %j give %s', (args, load) => expect(givenLoad(...args)).toBe(load));

  it('pin processes, verify the ledger and measure every controller by default', () => {
    expect(readOptions([], fail)).toMatchObject({
      pinned: true,
      verify: true,
      sides: ['builtin-default', 'builtin-lifted', 'jobledger'],
    });
    expect(readOptions(['--unpinned', '--no-verify', '--sides', 'jobledger'], fail)).toMatchObject({
      pinned: false,
      verify: false,
      sides: ['jobledger'],
    });
  });

  it.each([
    [['--jobs', '0'], 'whole number above 0'],
    [['--rate', '-1'], 'number above 0'],
    [['--sides', 'ours'], 'builtin-default, builtin-lifted, jobledger'],
  ])('are refused when they are invalid: %j (%s)', (args, reason) =>
    expect(() => readOptions(args, fail)).toThrow(reason),
  );
});

describe('the schedule of benchmark rounds', () => {
  it('has each measured controller in each round, and reverses their order in every second round', () => {
    expect(schedule(['builtin-lifted', 'jobledger'], 3).map(({ round, side }) => `${round} ${side}`)).toEqual(
      [
        '1 builtin-lifted',
        '1 jobledger',
        '2 jobledger',
        '2 builtin-lifted',
        '3 builtin-lifted',
        '3 jobledger',
      ],
    );
  });
});
