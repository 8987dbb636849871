import { clientLibrary } from './client-library.ts';

/** What a text of YAML, or of JSON, says. @throws for a text that is neither. */
export function parseYaml(text: string): unknown {
  return clientLibrary().loadYaml(text);
}
