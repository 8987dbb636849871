import { loadYaml } from '@kubernetes/client-node';

/** What a text of YAML, or of JSON, says. @throws for a text that is neither. */
export function parseYaml(text: string): unknown {
  return loadYaml(text);
}
