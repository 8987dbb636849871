import { earlierBuild } from './earlier-build.ts';

/** The successor's core number and feature level. */
export const SUCCESSOR = { core: '9', level: 13 };

/**
 * An invented next version as a source tree: a new core (another text for a creation), a new type of event that its
 * ingester writes from level 13 on, and a migration that adds a column.
 */
export function successor(): string {
  return earlierBuild(
    [
      { file: 'workflows/job/record/decision-id.ts', now: "CORE_VERSION = '8'", was: "CORE_VERSION = '9'" },
      { file: 'workflows/job/decide/pods/manage-pods.ts', now: '${count} missing', was: '${count} lacking' },
      {
        file: 'workflows/cores/cores.ts',
        now: "import * as core7 from '../../cores/core-7.js';",
        was: "import * as core7 from '../../cores/core-7.js';\nimport * as core8 from '../../cores/core-8.js';",
      },
      {
        file: 'workflows/cores/cores.ts',
        now: '[core1OfNow(), core2, core3, core4, core5, core6, core7]',
        was: '[core1OfNow(), core2, core3, core4, core5, core6, core7, core8]',
      },
      {
        file: 'workflows/job/observe/compact.ts',
        now: "    case 'cluster.gap':",
        was: "    case 'cluster.gap':\n    case 'cluster.noted':",
      },
      {
        file: 'services/adapters/events/event-types.ts',
        now: "  'cluster.gap': z.object({",
        was: "  'cluster.noted': z.object({ cluster: z.string() }),\n  'cluster.gap': z.object({",
      },
      { file: 'services/adapters/events/feature-levels.ts', now: 'max: 12', was: 'max: 13' },
      {
        file: 'services/ingester/main.ts',
        now: '    installation,\n',
        was: '    installation,\n    level,\n',
      },
      {
        file: 'services/ingester/ingest.ts',
        now: '  await appender.append([connectedEvent(cluster, identity)]',
        was: `  const event = connectedEvent(cluster, identity);
  if (arguments[0].level.current() >= 13)
    await appender.append([{ ...event, id: event.id + '/noted', type: 'cluster.noted' }]);
  await appender.append([event]`,
      },
      {
        file: 'services/read-model/schema.ts',
        now: "NEEDED_MIGRATION = '0029-spread.sql'",
        was: "NEEDED_MIGRATION = '0099-successor.sql'",
      },
      {
        file: 'services/projector/projections/events.ts',
        now: "    case 'cluster.gap':",
        was: "    case 'cluster.noted':\n    case 'cluster.gap':",
      },
      {
        file: 'services/projector/projections/clusters.ts',
        now: "    case 'cluster.gap':",
        was: "    case 'cluster.noted':\n      return row;\n    case 'cluster.gap':",
      },
    ],
    {
      'services/projector/migrations/0099-successor.sql': `alter table jobs add column note text not null default 'none';
comment on column jobs.note is 'What only the successor knows.';
`,
    },
  );
}
