import { clientLibrary } from './client-library.ts';

/** The parser accepts merge keys as kubectl does, although YAML 1.2 does not have them. */
const AS_KUBECTL = { merge: true };

/** Parses YAML or JSON. @throws when the text is neither. */
export function parseYaml(text: string): unknown {
  return clientLibrary().parse(text, AS_KUBECTL);
}

/** Parses each document of a file. @throws when a document is not YAML. */
export function parseYamlDocuments(text: string): unknown[] {
  return [...clientLibrary().parseAllDocuments(text, AS_KUBECTL)].map((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS() as unknown;
  });
}
