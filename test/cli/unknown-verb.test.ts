import { describe, expect, it } from '@jest/globals';
import { programWith } from '../../cli/main.ts';
import { requireVerb, verbWords } from '../../cli/unknown-verb.ts';

async function readRefusal(word: string): Promise<string> {
  const program = await programWith([word]);
  try {
    requireVerb(program, [word]);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the error about an unknown word in place of a verb', () => {
  it.each([
    ['delete', 'jobledger suspend JOB'],
    ['cancel', 'kubectl delete job NAME'],
    ['stop', 'jobledger suspend JOB'],
    ['list', 'jobledger get'],
    ['ls', 'jobledger get'],
    ['rerun', 'jobledger retry JOB'],
    ['resubmit', 'jobledger retry JOB'],
    ['apply', 'jobledger submit -f FILE'],
    ['create', 'jobledger submit -f FILE'],
    ['top', 'jobledger get --status Running'],
    ['status', 'jobledger describe JOB'],
    ['List', 'jobledger get'],
    ['verify', 'jobledger admin verify'],
    ['dead-letters', 'jobledger admin dead-letters'],
    ['ingester', 'jobledger run ingester'],
  ])('names the verb of the same meaning: %s', async (word, advice) => {
    expect(await readRefusal(word)).toContain(advice);
  });

  it.each([
    ['describ', 'describe'],
    ['descrbie', 'describe'],
    ['histori', 'history'],
    ['whyy', 'why'],
    ['verfy', 'admin verify'],
  ])('names the intended verb when the word is a typing error: %s', async (word, verb) => {
    expect(await readRefusal(word)).toBe(`there is no verb "${word}": did you mean "jobledger ${verb}"?`);
  });

  it.each([
    [
      ['-n', 'default', 'get'],
      '"-n" stands before the verb: write options after it, as in "jobledger get -n …"',
    ],
    [
      ['--cluster=east', 'admin', 'verify'],
      '"--cluster=east" stands before the verb: write options after it, as in "jobledger admin verify --cluster=east …"',
    ],
    [['-n', 'default'], ''],
    [['--version'], ''],
    [['--help', 'get'], ''],
  ])('names the right place of an option: %j', async (words, message) => {
    const program = await programWith(words);
    const refuse = (): void => requireVerb(program, words);
    if (message === '') expect(refuse).not.toThrow();
    else expect(refuse).toThrow(message);
  });

  it('shows the word on one line', async () => {
    expect(await readRefusal('a\nb\u001b[2J')).toContain(String.raw`"a\nb\u001b[2J"`);
  });

  it('refers to the list of verbs when the word has no meaning, and names no word of similar letters', async () => {
    expect(await readRefusal('realease')).toBe(
      'there is no verb "realease": "jobledger --help" lists all verbs',
    );
  });

  it.each(['get', 'admin', 'run', 'help', '--help', '-h'])(
    'does not appear for the known word %s',
    async (word) => {
      expect(await readRefusal(word)).toBe('');
    },
  );

  it('names only verbs that exist', async () => {
    const program = await programWith('all');
    for (const word of [
      'delete',
      'pause',
      'ls',
      'status',
      'redo',
      'apply',
      'events',
      'config',
      'backup',
      'leave',
    ])
      for (const [, path = ''] of (await readRefusal(word)).matchAll(/"jobledger ([a-z-]+(?: [a-z-]+)?)/g)) {
        const [verb = '', nested] = path.split(' ');
        const found = program.commands.find((command) => command.name() === verb);
        expect([word, verb, found !== undefined]).toEqual([word, verb, true]);
        if (verb === 'admin') expect(found?.commands.map((command) => command.name())).toContain(nested);
      }
  });
});

describe('a mistyped subcommand of a verb with a default subcommand', () => {
  it('is refused with the intended subcommand, unless no word follows it: then it is an argument of the default subcommand', async () => {
    const refusal = 'there is no verb "cron nxet": did you mean "jobledger cron next"?';
    const program = await programWith(['cron']);
    expect(() => verbWords(program, ['cron', 'nxet', 'nightly'])).toThrow(refusal);
    expect(verbWords(program, ['cron', 'nxet'])).toEqual(['cron', 'nxet']);
    expect(verbWords(program, ['cron', 'next', 'nightly'])).toEqual(['cron', 'next', 'nightly']);
  });
});

describe('the verb help', () => {
  const written = async (...words: string[]): Promise<string> => {
    const program = await programWith(words);
    let text = '';
    const take = { writeOut: (part: string) => void (text += part) };
    for (const each of [
      program,
      ...program.commands,
      ...program.commands.flatMap(({ commands }) => commands),
    ])
      each.configureOutput(take);
    try {
      await program.parseAsync(verbWords(program, words), { from: 'user' });
    } catch (error) {
      if (text === '') throw error;
    }
    return text;
  };

  it.each([
    [['describe'], 'jobledger describe [options] <names...>'],
    [['admin', 'verify'], 'jobledger admin verify [options]'],
    [['clusters', 'cordon'], 'jobledger clusters cordon [options]'],
    [['admin'], 'jobledger admin [options]'],
    [['help'], 'jobledger [options]'],
    [[], 'jobledger [options]'],
  ])('prints the help of the verb in %j', async (words, usage) => {
    expect(await written('help', ...words)).toContain(`Usage: ${usage}`);
  });

  it.each([
    [['descrbie'], 'there is no verb "descrbie": did you mean "jobledger describe"?'],
    [['delete'], 'there is no verb "delete": "jobledger suspend JOB" stops its pods'],
    [['verify'], 'there is no verb "verify": use "jobledger admin verify"'],
    [['admin', 'verfy'], 'there is no verb "admin verfy": did you mean "jobledger admin verify"?'],
  ])('fails with the same advice as an unknown verb for %j', async (words, message) => {
    await expect(written('help', ...words)).rejects.toThrow(message);
  });
});
