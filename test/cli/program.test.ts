import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';
import { programWith } from '../../cli/program.ts';
import { VERBS } from '../../cli/verbs.ts';

const NAMES = VERBS.map(({ name }) => name);

function shapeOf(program: Command, name: string): unknown {
  const verb = program.commands.find((command) => command.name() === name);
  return [verb?.description(), verb?.summary(), verb?.options.map(({ flags }) => flags)];
}

describe('the command line', () => {
  it('lists its verbs in one order, whichever of them are loaded', async () => {
    for (const names of [[], ['wait'], 'all'] as const)
      expect((await programWith(names)).commands.map((verb) => verb.name())).toEqual(NAMES);
  });

  it.each(NAMES)('has the same verb %s alone as among all', async (name) => {
    const alone = shapeOf(await programWith([name]), name);
    expect(alone).toEqual(shapeOf(await programWith('all'), name));
    expect((alone as [string])[0]).not.toBe('');
  });
});
