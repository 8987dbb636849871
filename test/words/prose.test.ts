import { sentencesIn, type Sentence } from './prose.ts';
import { drawSample } from './sample.ts';
import { turnsOfPhraseIn } from './turns-of-phrase.ts';

const textsIn = (file: string, text: string): string[] =>
  sentencesIn({ file, text }).map((sentence) => `${sentence.place} ${sentence.line}: ${sentence.text}`);

describe('the sentences of a page', () => {
  it('are read from paragraphs, list items and table cells', () => {
    const page = [
      '# A title that is no sentence',
      '',
      'The first sentence has five words. The second goes on',
      'in another line.',
      '- an item of a short list',
      '',
      '| a cell with its own sentence | short |',
      '```',
      'code is not read as prose',
      '```',
    ].join('\n');
    expect(textsIn('docs/a.md', page)).toEqual([
      'docs 3: The first sentence has five words.',
      'docs 3: The second goes on in another line.',
      'docs 5: an item of a short list',
      'docs 7: a cell with its own sentence',
    ]);
  });
});

describe('the sentences of a source file', () => {
  it('are read from comments, help and messages', () => {
    const code = [
      '// The lines of one comment',
      '// are read as one.',
      "command.option('--all', 'every Job with a recorded decision');",
      'throw new Error(`the Job ${name} is not in the ledger`);',
      'query("select a, b, c from jobs where deleted");',
    ].join('\n');
    expect(textsIn('cli/a.ts', code)).toEqual([
      'comments 1: The lines of one comment are read as one.',
      'help 3: every Job with a recorded decision',
      'messages 4: the Job … is not in the ledger',
    ]);
  });
});

describe('a sample of sentences', () => {
  const sentences = ['docs', 'help'].flatMap((place) =>
    Array.from({ length: 50 }, (_, line) => ({ place, file: 'a', line, text: '' }) as Sentence),
  );

  it('is the same for the same seed, and has no sentence twice', () => {
    const sample = drawSample(sentences, 7);
    expect(drawSample(sentences, 7)).toEqual(sample);
    expect(new Set(sample).size).toBe(40);
  });

  it('differs for another seed', () => {
    expect(drawSample(sentences, 8)).not.toEqual(drawSample(sentences, 7));
  });
});

const findingsIn = (text: string): string[] =>
  turnsOfPhraseIn({ place: 'docs', file: 'docs/a.md', line: 1, text });

describe('turns of phrase that are no plain English', () => {
  it.each([
    'What is late goes alone.',
    'Who installs it needs the right to create Roles.',
    'How far it was delivered is in the table.',
    'Here a cluster more costs little.',
    'There are three ways, of which one is safe.',
    'Without it, `Succeeded` is meant.',
    'The run begins anew.',
    'The others go on with their work.',
  ])('are found: %s', (text) => expect(findingsIn(text)).toHaveLength(1));

  it.each([
    'What is a decision, and who makes it?',
    'What a reader has read.',
    'Where the network is trusted, the password may be left out.',
    'This costs a little more.',
    'Each line is meant for people.',
    'The message `it begins anew` is logged.',
  ])('are none in plain English: %s', (text) => expect(findingsIn(text)).toEqual([]));
});
