import { readFileSync } from 'node:fs';
import { goTools } from '../../../infra/local/tools/catalog.ts';
import { variableFor } from '../../../infra/local/tools/find-tool.ts';
import { kubernetesVersion, wantedKubernetes } from '../../../infra/local/tools/kubernetes-versions.ts';
import { programWith } from '../../../cli/main.ts';
import { EVENT_TABLE } from '../../../services/adapters/events/event-types.ts';
import { stubApi } from '../../support/stub-api.ts';
import { functionsIn, relationsIn } from '../columns.ts';
import { apiEntries, type Document } from './api-entries.ts';
import { commandLineEntries } from './command-line-entries.ts';
import type { Entry, Place } from './entry.ts';
import { eventEntries } from './event-entries.ts';
import { kafkaEntries } from './kafka-entries.ts';
import { kubernetesEntries } from './kubernetes-entries.ts';
import { metricEntries } from './metric-entries.ts';
import { settingEntries } from './setting-entries.ts';
import { sourcesIn } from './source-files.ts';
import { sqlEntries } from './sql-entries.ts';

/** The file that `npm run contract` writes. */
export const CONTRACT_FILE = 'docs/contract.txt';

/** The sections of the file, in its order. */
const PLACES: readonly Place[] = [
  'events',
  'SQL',
  'API',
  'command line',
  'metrics',
  'settings',
  'Kubernetes',
  'Kafka',
];

/** Everything that others may rely on, from the code. */
export async function contract(): Promise<Entry[]> {
  const [services, workflows] = [sourcesIn('services'), sourcesIn('workflows')];
  const schema = readFileSync('services/projector/schema.sql', 'utf8');
  const tools = goTools(kubernetesVersion(wantedKubernetes('')));
  return [
    ...eventEntries((type) => EVENT_TABLE[type]?.length ?? 0),
    ...sqlEntries(relationsIn(schema), functionsIn(schema)),
    ...apiEntries(await apiDocument()),
    ...commandLineEntries(await programWith('all')),
    ...metricEntries(services),
    ...settingEntries(
      [...services, ...sourcesIn('cli', 'infra')],
      tools.map(({ name }) => variableFor(name)),
    ),
    ...kubernetesEntries([...services, ...workflows]),
    ...kafkaEntries(services),
  ];
}

async function apiDocument(): Promise<Document> {
  const server = await stubApi();
  const { body } = await server.inject('/openapi.json');
  await server.close();
  return JSON.parse(body) as Document;
}

const INTRODUCTION = `What Jobledger promises from 1.0.0 on: its names and their types. "npm run contract" writes this file from the code.
A line that goes or changes here is a change of the contract. Meanings: docs/vocabulary.md has each name, and the comments
of the tables, the descriptions in the OpenAPI document and --help have more. A name with a capital letter, such as Reason, is a type
whose fields have lines of their own; Kubernetes types are as in the Kubernetes API. UnixMs is a number of milliseconds since 1970, UTC;
all other instants are text in RFC 3339, or of a type of Postgres.`;

/** docs/contract.txt: a section for each place, each with sorted lines. */
export function contractText(entries: readonly Entry[]): string {
  const sections = PLACES.map((place) => {
    const lines = entries.filter((entry) => entry.place === place).map(({ line }) => line);
    return [`## ${place}`, '', ...[...new Set(lines)].toSorted()].join('\n');
  });
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}
