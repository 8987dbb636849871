import type { Command } from 'commander';
import { errorMessage, JobledgerError } from '../services/adapters/errors.ts';
import { exitCodeFor } from './failure.ts';
import { verbWords } from './unknown-verb.ts';

/** Runs one verb of a program. Sets the exit status (docs/command-line.md). */
export async function run(
  argv: readonly string[],
  programWith: (names: readonly string[] | 'all') => Promise<Command>,
): Promise<void> {
  removeEmptyVariables(process.env);
  if (argv[2] === '__complete') {
    const { printNames } = await import('./verbs/completion/names.ts');
    return printNames(argv[3]);
  }
  // The words that may name the verb: the verb, a verb of `admin` or `run`, or the verb after `help`.
  const names = argv.slice(2, 5);
  const program = await programWith(names[0] === 'completion' ? 'all' : names);
  reportUnwritable(process.stdout);
  try {
    await program.parseAsync(verbWords(program, argv.slice(2)), { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeFor(error);
    // A client library that still waits for a server must not keep the process running.
    setTimeout(() => process.exit(), 1000).unref();
  }
}

/** An output error is a failure, except when the reader has closed the output early, as `head` does. */
function reportUnwritable(output: NodeJS.WriteStream): void {
  let isReported = false;
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isReported) return;
    isReported = true;
    const status = exitCodeFor(new JobledgerError(`the output cannot be written: ${errorMessage(error)}`));
    process.exitCode ??= status;
  });
}

/** An empty variable counts as absent (docs/configuration.md); commander would take it for the value of an option. */
function removeEmptyVariables(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment))
    if (name.startsWith('JOBLEDGER_') && value === '') delete environment[name];
}
