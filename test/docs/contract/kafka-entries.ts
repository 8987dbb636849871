import ts from 'typescript';
import { consumerGroup } from '../../../services/consumers/groups.ts';
import type { Entry } from './entry.ts';
import { nodesIn } from './source-files.ts';

type Connection = Parameters<typeof consumerGroup>[0];

/** The topics beside the ledger, and the consumer groups that read it, all named after its topic. */
export function kafkaEntries(sources: readonly ts.SourceFile[]): Entry[] {
  const topics = sources
    .flatMap((source) => nodesIn(source, ts.isTemplateExpression))
    .flatMap((template) => /^`\$\{ledger\}(\.[a-z-]+)`$/.exec(template.getText())?.[1] ?? [])
    .map((ending) => entry('topic', `<ledger>${ending}`));
  const connection = { topics: { ledger: '<ledger>' } } as Connection;
  const groups = (['dispatcher', 'projector'] as const).map((reader) => consumerGroup(connection, reader));
  return [...topics, ...groups.map((group) => entry('consumer group', group))];
}

function entry(kind: string, name: string): Entry {
  return { place: 'Kafka', line: `${kind} ${name}`, names: [name] };
}
