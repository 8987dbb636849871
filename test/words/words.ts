import { PRIVATE_WORDS } from './private-words.ts';

/** A source file or a page. */
export interface SourceText {
  /** Path from the repository's root. */
  file: string;
  text: string;
}

/** Uses of private words, a line each: place, word and replacement. */
export function privateWordsIn({ file, text }: SourceText): string[] {
  return text.split('\n').flatMap((line, at) =>
    PRIVATE_WORDS.flatMap(({ word, instead }) => {
      const found = word.exec(line);
      return found === null ? [] : [`${file}:${at + 1} says "${found[0]}"; write: ${instead}`];
    }),
  );
}

const EXPORTED_TYPE = /^export (?:interface|type|class|abstract class) (\w+)/gm;

/** Names of types that more than one file exports, a line each with the files. */
export function typesExportedTwice(sources: readonly SourceText[]): string[] {
  const files = new Map<string, string[]>();
  for (const { file, text } of sources)
    for (const [, name = ''] of text.matchAll(EXPORTED_TYPE))
      files.set(name, [...(files.get(name) ?? []), file]);
  return [...files]
    .filter(([, where]) => where.length > 1)
    .map(([name, where]) => `${name} is exported by ${where.join(' and ')}`);
}
