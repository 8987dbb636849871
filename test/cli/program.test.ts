import { describe, expect, it, jest } from '@jest/globals';
import type { Command, Option } from 'commander';
import { API_VERBS } from '../../cli/api-verbs.ts';
import { EXAMPLES } from '../../cli/examples.ts';
import { VERBS_ON_SERVERS } from '../../cli/over-api.ts';
import { programWith } from '../../cli/main.ts';
import { run } from '../../cli/run.ts';
import { VERBS } from '../../cli/verbs.ts';

/** The words of each verb, such as `get`, or `admin verify`. */
const NAMES = VERBS.flatMap((entry) =>
  'verbs' in entry ? entry.verbs.map(({ name }) => `${entry.name} ${name}`) : [entry.name],
);

function find(program: Command, path: string): Command | undefined {
  return path
    .split(' ')
    .reduce<Command | undefined>(
      (found, word) => found?.commands.find((command) => command.name() === word),
      program,
    );
}

function verbShape(program: Command, path: string): unknown {
  const verb = find(program, path);
  return [verb?.description(), verb?.summary(), verb?.options.map(({ flags }) => flags)];
}

describe('the command line', () => {
  it('lists its verbs in a fixed order, whichever verbs are loaded', async () => {
    for (const names of [[], ['wait'], ['admin', 'verify'], 'all'] as const)
      expect((await programWith(names)).commands.map((verb) => verb.name())).toEqual(
        VERBS.map(({ name }) => name),
      );
  });

  it.each(NAMES)('has the same verb %s whether it loads one verb or all', async (path) => {
    const alone = verbShape(await programWith(path.split(' ')), path);
    expect(alone).toEqual(verbShape(await programWith('all'), path));
    expect((alone as [string])[0]).not.toBe('');
  });

  it('shows at most 28 verbs on the first screen, and the verbs of admin and run on their own screens', async () => {
    expect(VERBS.length).toBeLessThanOrEqual(28);
    const help = (await programWith(['admin'])).commands
      .find((verb) => verb.name() === 'admin')
      ?.helpInformation();
    expect(help).toContain('  verify ');
    expect(help).toContain('  retention ');
  });
});

function allIn(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allIn)];
}

/** Parses a command line without running it. @throws CommanderError, InputError. */
async function parsed(...words: string[]): Promise<string> {
  const program = await programWith(words.slice(0, 2));
  let written = '';
  const quiet = {
    writeErr: (text: string) => void (written += text),
    writeOut: (text: string) => void (written += text),
  };
  for (const command of allIn(program))
    command
      .exitOverride()
      .configureOutput(quiet)
      .action(() => undefined);
  await program.parseAsync(words, { from: 'user' }).catch((error: unknown) => {
    throw new Error(`${written}${(error as Error).message}`);
  });
  return written;
}

describe('the command line over the API', () => {
  it('lacks exactly the verbs that work on the servers', () => {
    const names = API_VERBS.map(({ name }) => name);
    expect(VERBS.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual(VERBS_ON_SERVERS);
  });
});

describe('the longest time limit of the verb wait', () => {
  it('is 24 days, which is the longest time of a timer in Node', async () => {
    await parsed('wait', 'pi', '--timeout', '24d');
    for (const time of ['25d', '50d', '577h'])
      await expect(parsed('wait', 'pi', '--timeout', time)).rejects.toThrow('24d at most');
  });
});

describe('the example command lines in the help', () => {
  it.each(NAMES)('exist for the verb %s', (name) => {
    expect(EXAMPLES[name.split(' ').at(-1) ?? '']?.length).toBeGreaterThan(0);
  });

  const commands = Object.values(EXAMPLES).flatMap((examples) => examples.map(([command]) => command));
  it.each(commands.filter((command) => command.startsWith('jobledger ')))(
    'are valid command lines: %s',
    async (command) => {
      const words = command.split(/ (?=(?:[^']*'[^']*')*[^']*$)/).map((word) => word.replaceAll("'", ''));
      await expect(parsed(...words.slice(1))).resolves.toBe('');
    },
  );

  it('are those of the subcommand in the help of a subcommand', async () => {
    await expect(parsed('clusters', 'cordon', '--help')).rejects.toThrow(
      /Examples:\n {2}jobledger clusters cordon west\n {6}place no new Jobs in west\n*\(outputHelp\)$/,
    );
  });

  it('are shown by --help', async () => {
    await expect(parsed('wait', '--help')).rejects.toThrow(
      'Examples:\n  jobledger wait pi --timeout 10m\n      wait until a Job is complete, for ten minutes at most',
    );
  });
});

describe('the help of a verb', () => {
  /** In one line. */
  const help = async (...words: string[]): Promise<string> => {
    const text = find(await programWith(words), words.join(' '))?.helpInformation() ?? '';
    return text.replaceAll(/\s+/g, ' ');
  };

  it('names the CronJob where the options of the verb apply to a CronJob', async () => {
    const text = await help('cron', 'next');
    for (const option of ['namespace of the CronJob', 'cluster of the CronJob', 'uid of the CronJob'])
      expect(text).toContain(option);
    expect(text).not.toContain('of the Job');
    expect(await help('wait')).toContain('namespace of the Job ');
  });

  it('names the value of managedBy that a submitted Job gets', async () => {
    expect(await help('submit')).toContain(
      'a Job without spec.managedBy gets jobledger.dev/job-controller, unless the services control those too (--claim all)',
    );
  });

  it('describes the events that dead-letters --retry appends', async () => {
    expect(await help('admin', 'dead-letters')).toContain(
      'append to the ledger again those records that this version can use',
    );
  });
});

describe('a mistake on the command line', () => {
  it.each([
    [
      'get --selectors x',
      "unknown option '--selectors'\n(Did you mean --selector?)\n(see jobledger get --help)",
    ],
    ['cron next', "missing required argument 'cronjob'\n(see jobledger cron next --help)"],
    [
      'admin dead-letters --server http://x',
      '--server: this verb works on Postgres and Kafka directly, not through an API',
    ],
    ['admin verify --all --token-file t', '--token-file: this verb works on Postgres and Kafka directly'],
    ['get --wide', '--wide: write -o wide'],
    [
      'logs pi --tail abc',
      "argument 'abc' is invalid. expected a whole number of lines, or -1 for all lines",
    ],
    ['logs pi --tail 1.5', 'a whole number of lines'],
    ['logs pi --since yesterday', 'or a duration before now, such as 12h, 1h30m or 7d'],
    ['admin export --until yesterday', '--until: "yesterday" is not an instant'],
    [
      'admin verify --all --since yesterday',
      'or a duration before now, such as 12h, 1h30m or 7d; no file (a checkpoint) has this name either',
    ],
    [
      'logs pi --index -1',
      "option '--index <number>' argument '-1' is invalid. expected a whole number, 0 or more",
    ],
    ['logs pi --index first', 'expected a whole number, 0 or more'],
    ['why pi --index 1.5', 'expected a whole number, 0 or more'],
    ['replay pi --until -5', 'expected the id of an event, or the number of a decision, 1 or more'],
    ['replay pi --until 1.5', 'the number of a decision, 1 or more'],
    ['get --state-dir ', '--state-dir is empty: give a value, or leave out the option'],
    ['get -n ', '--namespace is empty'],
    ['get --cluster= --uid x', '--cluster is empty'],
    ['up --namespaces ', '--namespaces is empty'],
    ['login http://x --token-file ', '--token-file is empty'],
    ['admin export -o ', '--output is empty'],
    ['clusters drain east --by ', '--by is empty'],
  ])('is reported once with advice: %s', async (line, message) => {
    await expect(parsed(...line.split(' '))).rejects.toThrow(message);
  });
});

describe('a correct command line', () => {
  it.each([
    'logs pi --tail 0',
    'logs pi --tail -1',
    'logs pi --since 1.5h',
    'logs pi --since 1h30m',
    'logs pi --since 2d',
    'logs pi --since 2026-11-21T03:12:00Z',
    'get --since 1h30m',
    'get --since 2026-11-21T03:12:00Z',
    'admin export --since 7d --until 1.5d',
    'admin export --since 2026-11-21T03:12:00Z',
    'admin verify --all --since 1h30m',
    'admin verify --all --since 2026-11-21T03:12:00Z',
    'replay pi --until 2',
    'replay pi --until 0a1b',
    'cron pi',
    'cron next pi',
  ])('is accepted: %s', async (line) => {
    await expect(parsed(...line.split(' '))).resolves.toBe('');
  });
});

describe('an error about an option', () => {
  it('is printed without characters that control a terminal', async () => {
    let written = '';
    const spy = jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
    const program = await programWith(['get']);
    await program.parseAsync(['get', '--\u001b[2J'], { from: 'user' }).catch(() => undefined);
    spy.mockRestore();
    expect(written).toContain(String.raw`unknown option '--\u001b[2J'`);
  });
});

describe('an empty environment variable', () => {
  it('counts as absent, also as the value of an option', async () => {
    process.env['JOBLEDGER_STATE_DIR'] = '';
    process.env['JOBLEDGER_CLAIM'] = '';
    let given: unknown;
    await run(['node', 'jobledger', 'up'], async (names) => {
      const program = await programWith(names);
      program.commands.find((verb) => verb.name() === 'up')?.action((options) => (given = options));
      return program;
    });
    expect(given).toMatchObject({ stateDir: '.jobledger', claim: 'managed' });
  });
});

describe('an option after the name of a subcommand', () => {
  it('belongs to the subcommand, also when the verb has an option of the same name', async () => {
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

describe('an option between a verb and its subcommand', () => {
  /** A value that the option takes; none for one without a value. */
  const valueFor = ({ argChoices, required }: Option): string[] =>
    required ? [argChoices?.[0] ?? '/given'] : [];

  it('applies to the subcommand when both have the option, and an option after the subcommand takes precedence', async () => {
    const names = (await programWith('all')).commands
      .filter(({ commands }) => commands.length > 0)
      .map((verb) => verb.name());
    const [effective, expected]: [string[], string[]] = [[], []];
    for (const name of names) {
      const findVerb = async () => (await programWith([name])).commands.find((each) => each.name() === name);
      for (const command of (await findVerb())?.commands ?? [])
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
            if (given === (value[0] ?? true) || String(given) === value[0]) effective.push(path);
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
    expect(effective).toEqual(expected);
  });
});
