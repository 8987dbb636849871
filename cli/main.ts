import { programWith } from './program.ts';
import { run } from './run.ts';

/** Runs one verb of the whole command line. Sets the exit status (docs/command-line.md). */
export function main(argv: readonly string[]): Promise<void> {
  return run(argv, programWith);
}
