import { Option, type Command } from 'commander';
import { stringifyExact } from '../adapters/exact-json.ts';

export interface OutputOption {
  readonly output?: 'json';
}

export function outputOption(command: Command, what: string): Command {
  return command.addOption(new Option('-o, --output <format>', what).choices(['json']));
}

export function write(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

export function writeJson(value: unknown): void {
  write(stringifyExact(value, 2));
}
