import { Argument, type Command } from 'commander';
import { write } from '../../output.ts';
import { SCRIPTS, type Shell } from './scripts.ts';
import { completedVerbs } from './tree.ts';

/** Adds the verb `completion`. */
export function registerCompletion(program: Command): void {
  program
    .command('completion')
    .description(
      'print the completion script for a shell. bash and zsh: source <(jobledger completion bash); fish: jobledger completion fish | source',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    // The program has all verbs loaded for this verb (run.ts).
    .action((shell: Shell) => write(SCRIPTS[shell](completedVerbs(program))));
}
