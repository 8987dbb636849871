import { Command, Help, Option } from 'commander';
import { InputError } from '../services/adapters/errors.ts';
import { VERSION } from '../services/adapters/process/package-dir.ts';
import { markAsVerbGroup, commandPath } from './command-path.ts';
import { report } from './output.ts';
import { examplesText } from './examples.ts';
import type { ListedVerb } from './api-verbs.ts';

/**
 * Creates the command line of these verbs. Loads the named verbs; `all` loads every verb. Each other verb has only its line in the list, so its
 * module is not loaded.
 */
export async function createProgram(
  verbs: readonly ListedVerb[],
  names: readonly string[] | 'all',
): Promise<Command> {
  const program = new Command('jobledger')
    .description(
      'Runs Kubernetes Jobs with durable workflows and records everything about them in one ledger',
    )
    .version(VERSION, '--version', 'print the version')
    .showHelpAfterError('(see jobledger --help)')
    .exitOverride()
    .configureOutput({ writeErr: (text) => report(text.trimEnd()) })
    .configureHelp({ optionDescription })
    // An option after the name of a subcommand belongs to the subcommand, also when the verb has an option of the
    // same name.
    .enablePositionalOptions()
    .hook('preAction', (_, command) => copyOptionsOfVerb(command));
  await addVerbs(program, verbs, names);
  return program;
}

/** The help omits the defaults `false` and an empty list. */
function optionDescription(this: Help, option: Option): string {
  const { defaultValue, defaultValueDescription } = option;
  const isNothing =
    defaultValue === false || (Array.isArray(defaultValue) && defaultValueDescription === undefined);
  const shown = isNothing
    ? Object.assign(Object.create(option) as Option, { defaultValue: undefined })
    : option;
  return Help.prototype.optionDescription.call(this, shown);
}

/** Adds verbs to a command, and loads the modules of the named verbs. */
async function addVerbs(
  parent: Command,
  verbs: readonly ListedVerb[],
  names: readonly string[] | 'all',
): Promise<void> {
  for (const entry of verbs) {
    const { name, summary, group } = entry;
    const isLoaded = names === 'all' || names.includes(name);
    if ('verbs' in entry) {
      const withVerbs = parent.command(name).description(summary);
      markAsVerbGroup(withVerbs);
      withVerbs.showHelpAfterError(`(see jobledger ${name} --help)`);
      await addVerbs(withVerbs, entry.verbs, names);
    } else if (isLoaded) (await entry.load())(parent);
    else parent.command(name);
    const verb = parent.commands.at(-1);
    verb?.summary(summary).helpGroup(group);
    if (isLoaded && verb !== undefined && !('verbs' in entry)) complete(verb);
  }
}

/**
 * An option before the name of the subcommand, as in `clusters --state-dir DIR drain`, belongs to the subcommand too,
 * unless the verb has the option itself.
 */
function copyOptionsOfVerb(command: Command): void {
  const { parent: verb } = command;
  for (const option of command.options) {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) === 'cli' || verb?.getOptionValueSource(name) !== 'cli') continue;
    command.setOptionValueWithSource(name, verb.getOptionValue(name), 'cli');
  }
}

/** Adds examples and hidden options with advice to a verb. */
function complete(verb: Command): void {
  for (const command of [verb, ...verb.commands]) {
    command.showHelpAfterError(`(see ${commandPath(command)} --help)`);
    command.addHelpText('after', examplesText(verb.name(), command === verb ? null : command.name()));
    rejectServerOptions(command);
    rejectWide(command);
    rejectEmptyValues(command);
  }
}

const DIRECT =
  'this verb works on Postgres and Kafka directly, not through an API: give --state-dir, or set DATABASE_URL and KAFKA_BROKERS';

/** Adds hidden options that reject `--server` and `--token-file` with advice, if the verb does not have them. */
function rejectServerOptions(command: Command): void {
  const [server, token] = [
    new Option('--server <url>').hideHelp(),
    new Option('--token-file <file>').hideHelp(),
  ];
  for (const option of [server, token])
    if (command.options.every(({ long }) => long !== option.long))
      command.addOption(
        option.argParser(() => {
          throw new InputError(`${option.long}: ${DIRECT}`);
        }),
      );
}

/** Rejects empty values: an unset shell variable as a value would otherwise select everything, or the default. */
function rejectEmptyValues(command: Command): void {
  for (const option of command.options.filter(({ required }) => required)) {
    const { parseArg } = option;
    option.argParser((value, previous) => {
      if (value.trim() === '')
        throw new InputError(
          `${option.long ?? option.flags} is empty: give a value, or leave out the option`,
        );
      return parseArg === undefined ? value : parseArg(value, previous);
    });
  }
}

/** Adds a hidden `--wide` that names the right option, `-o wide`, in its error. */
function rejectWide(command: Command): void {
  const output = command.options.find(({ long }) => long === '--output');
  if (output?.argChoices?.includes('wide') !== true) return;
  command.addOption(new Option('--wide').hideHelp());
  command.hook('preAction', (_, verb) => {
    if (verb.getOptionValue('wide') === true) throw new InputError('--wide: write -o wide');
  });
}
