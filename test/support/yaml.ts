import { parseYaml, parseYamlDocuments } from '../../services/adapters/kubernetes/yaml.ts';

export function loadYaml<T>(text: string): T {
  return parseYaml(text) as T;
}

export function loadAllYaml(text: string): unknown[] {
  return parseYamlDocuments(text);
}
