import { InputError } from '../services/adapters/errors.ts';
import { API_VERBS } from './api-verbs.ts';
import { exitCodeFor } from './failure.ts';
import { createProgram } from './create-program.ts';
import { run } from './run.ts';

/** The names of the verbs that only the whole installation has (cli/verbs.ts). */
export const VERBS_ON_SERVERS: readonly string[] = ['up', 'open', 'run', 'admin'];

/**
 * The command line of the npm package `jobledger`, which works through an API alone. Sets the exit status
 * (docs/command-line.md).
 */
export async function main(argv: readonly string[]): Promise<void> {
  const [, , first = '', second = ''] = argv;
  const verb = first === 'help' ? second : first;
  if (!VERBS_ON_SERVERS.includes(verb)) return run(argv, (names) => createProgram(API_VERBS, names));
  process.exitCode = exitCodeFor(new InputError(refusalText(verb)));
}

/** The message that this package does not have a verb that works on the servers. */
function refusalText(verb: string): string {
  return `"${verb}" works on the servers, not through an API, so this package does not have it: use the whole installation, that is the image or a source tree of Jobledger`;
}
