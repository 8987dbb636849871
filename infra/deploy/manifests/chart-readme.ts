import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isMap, isNode, isScalar, parseDocument, type Node, type YAMLMap } from 'yaml';
import { CHART } from './chart.ts';

/** The page that Artifact Hub and `helm show readme` show. */
export const CHART_README = path.join(CHART, 'README.md');

const HEAD = `# Jobledger's chart

Jobledger runs Kubernetes Jobs with durable workflows, and records everything about them in one ledger. Jobledger needs Kafka, Temporal and
Postgres, Kubernetes 1.34 to 1.37 (later versions are accepted, but were not tested), and Helm 3.14 or later.

\`\`\`sh
kubectl create namespace jobledger
kubectl label namespace jobledger pod-security.kubernetes.io/enforce=restricted
kubectl -n jobledger create secret generic jobledger-postgres --from-literal=DATABASE_URL=…
kubectl -n jobledger create secret generic jobledger-kafka --from-literal=KAFKA_BROKERS=…
kubectl -n jobledger create secret generic jobledger-temporal --from-literal=TEMPORAL_ADDRESS=… --from-literal=TEMPORAL_NAMESPACE=jobledger
kubectl -n jobledger create secret generic jobledger-api-tokens --from-file=tokens=…
helm install jobledger CHART --namespace jobledger --set cluster.name=prod   # in a clone also --set image.repository=REGISTRY/jobledger
helm test jobledger --namespace jobledger
\`\`\`

\`CHART\` is this folder, or the address of the chart in a registry. \`docs/operate/install.md\` in the repository of Jobledger describes
the installation, and \`docs/configuration.md\` describes the variables in the Secrets and under \`environment\`. \`values-quickstart.yaml\`
has values for a trial with servers that operators run in the same cluster, and \`values-100-jobs-a-second.yaml\` has the resources for a
hundred Jobs a second, computed from the figures of a burst.

## Values
`;

interface Row {
  readonly name: string;
  /** Undefined for a map, whose values follow. */
  readonly value: Node | undefined;
  readonly about: string;
}

/** The README of the chart in a folder, from the comments of its values.yaml: \`npm run manifests\`. */
export function chartReadme(chart = CHART): string {
  const rows = parseRows(readFileSync(path.join(chart, 'values.yaml'), 'utf8'));
  const table = ['| name | default | meaning |', '| --- | --- | --- |', ...rows.map(rowCells)];
  return `${HEAD}\n${table.join('\n')}\n`;
}

/** A row for each value, and for each map that has a comment itself. */
function parseRows(text: string): Row[] {
  const { contents } = parseDocument(text);
  if (!isMap(contents)) throw new TypeError('values.yaml is not a map');
  return rowsIn(contents, '');
}

function rowsIn(map: YAMLMap, within: string): Row[] {
  return map.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key) || !isNode(value))
      throw new TypeError(`a key below "${within}" in values.yaml is not a text`);
    const name = `${within}${String(key.value)}`;
    // The comment before the first key of a map belongs to the map.
    const before = index === 0 ? map.commentBefore : key.commentBefore;
    if (isMap(value) && value.flow !== true && value.items.length > 0) {
      const inner = rowsIn(value, `${name}.`);
      return isText(before) ? [{ name, value: undefined, about: before }, ...inner] : inner;
    }
    return [{ name, value, about: [before, value.comment].filter(isText).join(' ') }];
  });
}

function isText(text: string | null | undefined): text is string {
  return typeof text === 'string' && text !== '';
}

function rowCells({ name, value, about }: Row): string {
  const shown = value === undefined ? '' : codeSpan(JSON.stringify(value));
  return `| ${codeSpan(name)} | ${shown} | ${about.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim()} |`;
}

function codeSpan(text: string): string {
  return `\`${text}\``;
}
