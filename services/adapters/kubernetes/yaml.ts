import { loadYaml } from '@kubernetes/client-node';

/** Parses YAML or JSON. @throws when the text is neither. */
export function parseYaml(text: string): unknown {
  return loadYaml(text);
}
