import { privateWordsIn, typesExportedTwice } from './words.ts';

describe('the check for private words of the project', () => {
  it.each([
    ['an identifier', 'const surroundings = 1;'],
    ['a part of an identifier', 'function createSheaf() {}'],
    ['a comment', '// whoever reads this'],
  ])('finds a private word in %s, and reports its place and a better word', (_where, line) => {
    const [finding] = privateWordsIn({ file: 'services/a.ts', text: `\n${line}` });
    expect(finding).toMatch(/^services\/a\.ts:2 says "\w+"; write: /);
  });

  it('finds no private word among common words', () => {
    expect(privateWordsIn({ file: 'a.ts', text: 'batch, offset range, retry policy, dependencies' })).toEqual(
      [],
    );
  });
});

describe('exported types of the project', () => {
  it('are reported when two have the same name', () => {
    const sources = [
      { file: 'a.ts', text: 'export interface Batch {}' },
      { file: 'b.ts', text: 'export type Batch = 1;\nexport class Other {}' },
    ];
    expect(typesExportedTwice(sources)).toEqual(['Batch is exported by a.ts and b.ts']);
  });
});
