import type { Sentence } from './prose.ts';

/** A turn of phrase that is German in English words, and what to write instead. */
interface TurnOfPhrase {
  phrase: RegExp;
  instead: string;
}

const VERB =
  '(?:is|are|was|were|has|had|can|cannot|may|must|will|does|needs|goes|stays|gets|counts|belongs|follows|remains|comes|ends|waits|keeps|makes)';
/** Words that end a relative clause, or begin another one. */
const JOINT = String.raw`(?:[,;:?]|\b(?:and|or|that|which|who|what|when|if|because|where|while|than|as|how|whether)\b)`;

/** Matched in each sentence of pages, comments, help and messages. */
const TURNS_OF_PHRASE: readonly TurnOfPhrase[] = [
  {
    phrase: new RegExp(String.raw`^Who (?!${VERB} )[a-z]+ (?:(?!${JOINT}).)*?\b${VERB} `),
    instead: 'the subject first, as a noun',
  },
  { phrase: /\bso (?:many|few) (?!that\b|of\b)/, instead: 'the number' },
  {
    phrase: new RegExp(
      String.raw`^(?:What|How far|How long|How much|Where)\b(?:(?!${JOINT}).)*? ${VERB} (?:(?!${JOINT}).)*?\b${VERB} `,
    ),
    instead: 'the subject first, as a noun',
  },
  {
    phrase: /\b(?:a|one) (?!of\b|little\b|lot\b|bit\b|few\b|good\b|great\b|tenth\b)[a-z]+ more\b/,
    instead: '"one more" or "another"',
  },
  { phrase: /(?:^|[,;] )of which\b/i, instead: 'a sentence of its own' },
  { phrase: /\b(?:is|are|was|were) meant\b(?! to| for| as)/, instead: 'a default, or the plain statement' },
  { phrase: /\bis to be done\b/, instead: 'an imperative or "must"' },
  { phrase: /\bgo(?:es|ne|ing)? on (?:with|working|trying|from|at)\b/, instead: '"continue"' },
  { phrase: /\banew\b/, instead: '"again", or "start over"' },
  { phrase: /\b(?:is|are|was|were) mended\b/, instead: '"fixed"' },
];

/** Uses of these phrases, a line each: place, phrase and advice. Code in a sentence may quote anything. */
export function turnsOfPhraseIn({ file, line, text }: Sentence): string[] {
  return TURNS_OF_PHRASE.flatMap(({ phrase, instead }) => {
    const found = phrase.exec(text.replaceAll(/`[^`]*`/g, '`…`'));
    return found === null ? [] : [`${file}:${line} says "${found[0].trim()}"; write: ${instead}`];
  });
}
