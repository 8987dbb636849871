import { Command } from 'commander';
import { VERSION } from '../services/adapters/process/package-dir.ts';
import { VERBS } from './verbs.ts';

/**
 * The command line with the named verbs; `all` names every one. The other verbs have only their line in the list, so their
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
  for (const { name, summary, group, load } of VERBS) {
    if (names === 'all' || names.includes(name)) (await load())(program);
    else program.command(name);
    program.commands.at(-1)?.summary(summary).helpGroup(group);
  }
  return program;
}
