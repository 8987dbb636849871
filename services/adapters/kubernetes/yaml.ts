import { clientLibrary } from './client-library.ts';

/** Parses YAML or JSON. @throws when the text is neither. */
export function parseYaml(text: string): unknown {
  return clientLibrary().loadYaml(text);
}
