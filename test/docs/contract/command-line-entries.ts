import type { Argument, Command, Option } from 'commander';
import { commandPath } from '../../../cli/command-path.ts';
import type { Entry } from './entry.ts';

/** Every verb with its arguments and options, as `--help` shows them. */
export function commandLineEntries(program: Command): Entry[] {
  return program.commands.flatMap((command) => [...commandEntries(command), ...commandLineEntries(command)]);
}

function commandEntries(command: Command): Entry[] {
  const path = commandPath(command);
  const entry = (line: string, ...names: string[]): Entry => ({ place: 'command line', line, names });
  return [
    { ...entry(path, path), meaning: command.summary() || command.description() },
    ...command.registeredArguments.map((argument) => entry(`${path} ${argumentText(argument)}`)),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => entry(`${path} ${optionText(option)}`, option.long ?? option.flags)),
  ];
}

function argumentText(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return `${argument.required ? `<${name}>` : `[${name}]`}${choicesText(argument.argChoices)}`;
}

function optionText(option: Option): string {
  const variable = option.envVar === undefined ? '' : `, or ${option.envVar}`;
  return `${option.flags}${choicesText(option.argChoices)}${option.mandatory ? ', required' : ''}${variable}`;
}

function choicesText(choices: readonly string[] | undefined): string {
  return choices === undefined ? '' : `: ${choices.join(' | ')}`;
}
