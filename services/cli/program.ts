import { Command } from 'commander';
import { VERSION } from '../adapters/package-dir.ts';
import { VERBS } from './verbs.ts';

/**
 * The command line with the verbs that are named; `all` names every one. The others have their line in the list only, so that their
 * modules need not be loaded.
 */
export async function programWith(names: readonly string[] | 'all'): Promise<Command> {
  const program = new Command('jobledger')
    .description(
      'Runs Kubernetes Jobs with durable workflows and records everything about them in one ledger',
    )
    .version(VERSION, '--version', 'print the version')
    .showHelpAfterError('(see jobledger --help)')
    .exitOverride();
  const find = (name: string): Command | undefined =>
    program.commands.find((command) => command.name() === name);
  for (const { name, summary, group, load } of VERBS) {
    const isLoaded = names === 'all' || names.includes(name);
    // One module may register several verbs.
    if (isLoaded && find(name) === undefined) (await load())(program);
    (find(name) ?? program.command(name)).summary(summary).helpGroup(group);
  }
  return program;
}
