import { parseYaml, parseYamlDocuments } from '../../services/adapters/kubernetes/yaml.ts';

/** The test says what the text holds. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as for JSON, nobody checks it
export function loadYaml<T>(text: string): T {
  return parseYaml(text) as T;
}

export function loadAllYaml(text: string): unknown[] {
  return parseYamlDocuments(text);
}
