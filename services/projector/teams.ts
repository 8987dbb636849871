import { z } from 'zod';
import { parsedSetting } from '../adapters/config.ts';
import { InputError } from '../adapters/errors.ts';
import { parseYaml } from '../adapters/kubernetes/yaml.ts';
import { ANY } from '../adapters/places.ts';
import type { Database } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';

/** The teams of a namespace in one cluster, or in every cluster (`*`). The first team is the default. */
export interface NamespaceTeams {
  cluster: string;
  namespace: string;
  teams: readonly string[];
}

const TEAM = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/,
    'the name of a team must be a value that a label can have',
  );

/** A record from `CLUSTER/NAMESPACE` to a team or to several teams. */
const TEAMS = z.record(
  z
    .string()
    .regex(
      /^.+\/[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
      'write CLUSTER/NAMESPACE, or */NAMESPACE for this namespace in every cluster',
    ),
  z.union([TEAM.transform((team) => [team]), z.array(TEAM).min(1, 'name at least one team')], {
    error: 'write the name of a team or a list of names',
  }),
);

/** The teams of namespaces; by default, each namespace is a team of its own. */
export const teamsEnvironment = z.object({
  JOBLEDGER_TEAMS: parsedSetting(parseTeams, ''),
  JOBLEDGER_TEAM_LABEL: z
    .string()
    .regex(/^(?:[a-z0-9.-]{1,253}\/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/, 'the key of a label')
    .default('team'),
});

/** @throws InputError with every problem of the setting. */
function parseTeams(text: string): NamespaceTeams[] {
  const read = TEAMS.safeParse(text.trim() === '' ? {} : parseYaml(text));
  if (!read.success)
    throw new InputError(
      read.error.issues
        .map(({ path, message, ...issue }) => {
          const [first] = 'issues' in issue ? (issue.issues as { message: string }[]) : [];
          return [...path, first?.message ?? message].join(': ');
        })
        .join('; '),
    );
  const all = Object.entries(read.data).map(([place, teams]) => {
    const slash = place.lastIndexOf('/');
    return { cluster: place.slice(0, slash), namespace: place.slice(slash + 1), teams };
  });
  const problems = [...all.flatMap(repeatedTeams), ...all.flatMap((each) => disputes(each, all))];
  if (problems.length > 0) throw new InputError(problems.join('; '));
  return all;
}

function repeatedTeams({ cluster, namespace, teams }: NamespaceTeams): string[] {
  const repeated = teams.filter((team, at) => teams.indexOf(team) !== at);
  return repeated.map((team) => `${cluster}/${namespace} names the team ${team} twice`);
}

/** The problems of a namespace that has teams in every cluster and other teams in one cluster. */
function disputes({ cluster, namespace, teams }: NamespaceTeams, all: readonly NamespaceTeams[]): string[] {
  const everywhere = all.find((each) => each.cluster === ANY && each.namespace === namespace);
  if (cluster === ANY || everywhere === undefined) return [];
  return [
    `${cluster}/${namespace} belongs to ${teams.join(', ')}, and by ${ANY}/${namespace} to ${everywhere.teams.join(', ')}: name each cluster of this namespace, or only ${ANY}`,
  ];
}

/**
 * Stores the teams for the views. Nothing is written when the stored teams are the same, because each change makes the
 * projector count all hours again.
 */
export async function storeTeams(
  { transaction }: Pick<Database, 'transaction'>,
  teams: readonly NamespaceTeams[],
  label: string,
): Promise<void> {
  const rows = JSON.stringify(teams.map((each) => ({ ...each, label })));
  await transaction(async (run) => {
    // Several projectors may store the teams at the same time.
    await run(sql`lock table jobledger.namespace_teams in share row exclusive mode`);
    await run(
      sql`delete from jobledger.namespace_teams stored where not exists (
        select from jsonb_to_recordset(${rows}::jsonb) as given (cluster text, namespace text, teams text[], label text)
        where (given.cluster, given.namespace, given.teams, given.label) = (stored.cluster, stored.namespace, stored.teams, stored.label))`,
    );
    await run(
      sql`insert into jobledger.namespace_teams (cluster, namespace, teams, label)
        select * from jsonb_to_recordset(${rows}::jsonb) as given (cluster text, namespace text, teams text[], label text)
        on conflict do nothing`,
    );
  });
}
