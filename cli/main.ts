import type { Command } from 'commander';
import { createProgram } from './create-program.ts';
import { run } from './run.ts';
import { VERBS } from './verbs.ts';

/** Runs one verb of the whole command line. Sets the exit status (docs/command-line.md). */
export function main(argv: readonly string[]): Promise<void> {
  return run(argv, programWith);
}

/** The whole command line with the named verbs; `all` names every verb. */
export function programWith(names: readonly string[] | 'all'): Promise<Command> {
  return createProgram(VERBS, names);
}
