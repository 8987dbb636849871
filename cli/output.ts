import { Option, type Command } from 'commander';
import { printableLines } from '../services/adapters/printable.ts';

export interface OutputOption {
  readonly output?: 'json';
}

/** Adds the option `-o json`; `what` describes its output. */
export function outputOption(command: Command, what: string): Command {
  return command.addOption(new Option('-o, --output <format>', what).choices(['json']));
}

/** Prints text of several lines. The caller must pass text of other programs through `printableLine`, which keeps it on one line. */
export function write(text: string): void {
  writeColoured(printableLines(text));
}

/** Prints lines with colours; the other parts of the lines must be printable already (print/table.ts). */
export function writeColoured(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Prints a part of a line. */
export function writePart(text: string): void {
  process.stdout.write(printableLines(text));
}

/** Prints on standard error. */
export function report(text: string): void {
  process.stderr.write(`${printableLines(text)}\n`);
}
