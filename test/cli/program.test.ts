import { describe, expect, it } from '@jest/globals';
import type { Command, Option } from 'commander';
import { EXAMPLES } from '../../cli/examples.ts';
import { programWith } from '../../cli/program.ts';
import { VERBS } from '../../cli/verbs.ts';

const NAMES = VERBS.map(({ name }) => name);

function shapeOf(program: Command, name: string): unknown {
  const verb = program.commands.find((command) => command.name() === name);
  return [verb?.description(), verb?.summary(), verb?.options.map(({ flags }) => flags)];
}

describe('the command line', () => {
  it('lists its verbs in one order, whichever of them are loaded', async () => {
    for (const names of [[], ['wait'], 'all'] as const)
      expect((await programWith(names)).commands.map((verb) => verb.name())).toEqual(NAMES);
  });

  it.each(NAMES)('has the same verb %s alone as among all', async (name) => {
    const alone = shapeOf(await programWith([name]), name);
    expect(alone).toEqual(shapeOf(await programWith('all'), name));
    expect((alone as [string])[0]).not.toBe('');
  });
});

/** Parses a command line without running it. @throws CommanderError, InputError. */
async function parsed(...words: string[]): Promise<string> {
  const program = await programWith([words[0] ?? '']);
  let written = '';
  const quiet = {
    writeErr: (text: string) => void (written += text),
    writeOut: (text: string) => void (written += text),
  };
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ])
    command
      .exitOverride()
      .configureOutput(quiet)
      .action(() => undefined);
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
    throw new Error(`${written}${(error as Error).message}`);
  });
  return written;
}

describe('the examples in the help', () => {
  it.each(NAMES)('%s has some', (name) => {
    expect(EXAMPLES[name]?.length).toBeGreaterThan(0);
  });

  const commands = Object.values(EXAMPLES).flatMap((examples) => examples.map(([command]) => command));
  it.each(commands.filter((command) => command.startsWith('jobledger ')))(
    '%s is understood',
    async (command) => {
      const words = command.split(/ (?=(?:[^']*'[^']*')*[^']*$)/).map((word) => word.replaceAll("'", ''));
      await expect(parsed(...words.slice(1))).resolves.toBe('');
    },
  );

  it('are shown', async () => {
    await expect(parsed('wait', '--help')).rejects.toThrow(
      'Examples:\n  jobledger wait pi --timeout 10m\n      until it is complete',
    );
  });
});

describe('a mistake', () => {
  it.each([
    ['get --labels x', "unknown option '--labels'\n(Did you mean --label?)\n(see jobledger get --help)"],
    ['cron next', "missing required argument 'cronjob'\n(see jobledger cron next --help)"],
    [
      'dead-letters --server http://x',
      '--server: this verb works on Postgres and Kafka directly, not through an API',
    ],
    ['verify --all --token-file t', '--token-file: this verb works on Postgres and Kafka directly'],
    ['get --wide', '--wide: write -o wide'],
  ])('%s: names what to do, once', async (line, words) => {
    await expect(parsed(...line.split(' '))).rejects.toThrow(words);
  });
});

describe('an option after the name of a command of a verb', () => {
  it('is an option of that command, also when the verb alone has one of the same name', async () => {
    const program = await programWith('all');
    const given: string[] = [];
    const nested = program.commands.flatMap((verb) => verb.commands.map((command) => ({ verb, command })));
    const withBoth = nested.filter(({ verb, command }) =>
      [verb, command].every(({ options }) => options.some(({ long }) => long === '--state-dir')),
    );
    for (const { verb, command } of withBoth) {
      const path = `${verb.name()} ${command.name()}`;
      command.action((...values: unknown[]) => {
        const { stateDir } = values.at(-2) as { stateDir?: string };
        if (stateDir === '/given') given.push(path);
      });
      const names = command.registeredArguments.map((argument) => argument.name());
      await program.parseAsync([verb.name(), command.name(), ...names, '--state-dir', '/given'], {
        from: 'user',
      });
    }
    expect(given).toContain('clusters drain');
    expect(given).toEqual(withBoth.map(({ verb, command }) => `${verb.name()} ${command.name()}`));
  });
});

describe('an option between a verb and its command', () => {
  /** A value that the option takes; none for one without a value. */
  const valueFor = ({ argChoices, required }: Option): string[] =>
    required ? [argChoices?.[0] ?? '/given'] : [];

  it('is an option of the command too, for every option that both have; one after the command counts more', async () => {
    const names = (await programWith('all')).commands
      .filter(({ commands }) => commands.length > 0)
      .map((verb) => verb.name());
    const [heeded, expected]: [string[], string[]] = [[], []];
    for (const name of names) {
      const verbOf = async () => (await programWith([name])).commands.find((each) => each.name() === name);
      for (const command of (await verbOf())?.commands ?? [])
        for (const option of command.options) {
          const program = await programWith([name]);
          const verb = program.commands.find((each) => each.name() === name);
          const nested = verb?.commands.find((each) => each.name() === command.name());
          const long = option.long ?? '';
          const ofVerb = verb?.options.find((each) => each.long === long);
          // A hidden one is refused, with a hint.
          if (ofVerb === undefined || ofVerb.hidden || option.hidden) continue;
          const path = `${name} ${command.name()} ${long}`;
          expected.push(path);
          const value = valueFor(option);
          nested?.action((...values: unknown[]) => {
            const given = (values.at(-2) as Record<string, unknown>)[option.attributeName()];
            if (given === (value[0] ?? true) || String(given) === value[0]) heeded.push(path);
          });
          const args = command.registeredArguments.map((argument) => argument.name());
          await program.parseAsync([name, long, ...value, command.name(), ...args], { from: 'user' });
          if (long !== '--state-dir') continue;
          await program.parseAsync([name, long, '/other', command.name(), ...args, long, '/given'], {
            from: 'user',
          });
          expected.push(path);
        }
    }
    expect(expected).toContain('clusters drain --state-dir');
    expect(heeded).toEqual(expected);
  });
});
