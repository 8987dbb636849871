import type { Command } from 'commander';

const OF_VERBS = new WeakSet<Command>();

/** Marks a command that only has subcommands, as `admin` does. */
export function markAsVerbGroup(command: Command): void {
  OF_VERBS.add(command);
}

/** True for a command that only has subcommands. */
export function isVerbGroup(command: Command): boolean {
  return OF_VERBS.has(command);
}

/** The words of the verb on a command line, such as `jobledger admin dead-letters retry`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
