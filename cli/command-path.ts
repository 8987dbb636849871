import type { Command } from 'commander';

const OF_VERBS = new WeakSet<Command>();

/** Marks a command that only has subcommands, as `admin` does. */
export function markOfVerbs(command: Command): void {
  OF_VERBS.add(command);
}

export function isOfVerbs(command: Command): boolean {
  return OF_VERBS.has(command);
}

/** The words of the verb on a command line, such as `jobledger admin dead-letters retry`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
