import type { Command } from 'commander';
import { createProgram } from './create-program.ts';
import { VERBS } from './verbs.ts';

/** The whole command line with the named verbs; `all` names every verb. */
export function programWith(names: readonly string[] | 'all'): Promise<Command> {
  return createProgram(VERBS, names);
}
