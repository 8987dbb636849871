import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Pool } from 'pg';
import { z } from 'zod';
import { createLog } from '../../services/adapters/process/log.ts';
import { migrate } from '../../services/projector/migrate.ts';
import { fillPostgres } from '../bench/ledger/fill.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import { MIGRATIONS, startPostgres, type RealPostgres } from '../projector/real-postgres.ts';
import { loadYaml } from '../support/yaml.ts';

// The SQL of docs/guides runs unchanged on the ledger of a busy platform that ends now.

jest.setTimeout(120_000);

type Row = Record<string, unknown>;

let postgres: RealPostgres;
let owner: Pool;
let reader: Pool;

beforeAll(async () => {
  // Roles belong to the whole server.
  postgres = await startPostgres({ ownServers: true });
  const url = postgres.servers.addresses.databaseUrl ?? '';
  const ledger = await generateLedger({ events: 8000, days: 3, variants: 3, seed: 24 });
  await fillPostgres({ DATABASE_URL: url }, ledger, { log: createLog('test'), report: () => undefined });
  owner = new Pool({ connectionString: url, options: '-c timezone=UTC' });
  reader = new Pool({ connectionString: url, options: '-c role=jobledger_reader -c timezone=UTC' });
  // The server may stop before their connections are closed.
  for (const pool of [owner, reader]) pool.on('error', () => undefined);
});
afterAll(async () => {
  await reader?.end();
  await owner?.end();
  await postgres?.close();
});

/** Returns the SQL on a page, in order, without the indentation of a list. */
function readSql(page: string): string[] {
  const text = readFileSync(`docs/guides/${page}.md`, 'utf8');
  const found = text.matchAll(/^( *)```sql\n(.*?)^ *```$/gms);
  return Array.from(found, ([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

async function readRows(pool: Pool, statement = ''): Promise<Row[]> {
  if (statement === '') throw new Error('the page has fewer statements');
  return (await pool.query<Row>(statement)).rows;
}

/** Changes one Job that matches, and returns its name. */
async function changedJob(set: string, where: string): Promise<string> {
  const [job] = await readRows(
    owner,
    `update jobledger.jobs set ${set} where (cluster, uid) = (
       select cluster, uid from jobledger.jobs where ${where} order by uid limit 1
     ) returning name`,
  );
  return String(job?.['name']);
}

describe('the SQL of the guide about Jobs that failed with OOM last week', () => {
  const [failed, killed] = readSql('failed-with-oom');

  it('finds exactly the failed Jobs with a pod that was killed because it had too little memory', async () => {
    const rows = await readRows(reader, failed);
    const expected = await readRows(
      owner,
      `select name from jobledger.jobs j where status = 'Failed' and exists (
         select from jobledger.pods p where p.job_uid = j.uid and p.end_message = 'exit code 137 (OOMKilled)'
       )`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(expected.map(({ name }) => name)));
    expect(rows).toHaveLength(expected.length);
    for (const { reason } of rows) expect(reason).toContain('OOMKilled');
  });

  it('does not find a Job that ended before last week', async () => {
    const name = await changedJob(
      `finished_at = now() - interval '8 days'`,
      `status = 'Failed' and reason like '%OOMKilled%'`,
    );
    expect((await readRows(reader, failed)).map((row) => row['name'])).not.toContain(name);
  });

  it('counts, in its second query, all pods that were killed because they had too little memory', async () => {
    const rows = await readRows(reader, killed);
    const sum = rows.reduce((total, row) => total + Number(row['killed']), 0);
    const [{ count } = {}] = await readRows(
      owner,
      `select count(*) from jobledger.pods where reason = 'OOMKilled'`,
    );
    expect(rows.length).toBeLessThan(10);
    expect(sum).toBe(Number(count));
  });
});

describe('the SQL of the guide about alerts for the Jobs of a team', () => {
  const [failed, slow, cronJob, waits] = readSql('alert-for-my-job');

  it('finds a Job of the team that has just failed', async () => {
    expect(await readRows(reader, failed)).toEqual([]);
    const name = await changedJob(
      `labels = '{"team": "payments"}', finished_at = now() - interval '1 minute'`,
      `status = 'Failed'`,
    );
    const rows = await readRows(reader, failed);
    expect(rows).toEqual([expect.objectContaining({ name, failed: 1, reason: expect.any(String) })]);
  });

  it('equals the SQL in the Grafana alert rules', () => {
    const [group] = RULES.parse(
      loadYaml(readFileSync('infra/deploy/grafana/alerting/jobs.yaml', 'utf8')),
    ).groups;
    const rules = group?.rules.map(({ data: [query, threshold] }) => {
      expect(threshold?.model.expression).toBe(query?.refId);
      return `${query?.model.rawSql};\n`;
    });
    expect(rules).toEqual([failed, slow, cronJob, waits]);
  });

  it('finds a Job that runs for longer than usual, and not a Job that has just started', async () => {
    const usual = `name like 'render-%' and status = 'Succeeded'`;
    await owner.query(`update jobledger.jobs set cluster = 'east', namespace = 'ops' where ${usual}`);
    const since = async (interval: string): Promise<string> =>
      changedJob(
        `status = 'Running', finished_at = null, started_at = now() - interval '${interval}'`,
        usual,
      );
    const [slowOne, quick] = [await since('30 days'), await since('1 second')];
    const names = (await readRows(reader, slow)).map((row) => row['name']);
    expect(names).toContain(slowOne);
    expect(names).not.toContain(quick);
  });

  it('finds a CronJob that has had no success for 26 hours, and no other CronJob', async () => {
    const owned = (name: string, hours: number): Promise<string> =>
      changedJob(
        `owner_kind = 'CronJob', owner_name = '${name}', finished_at = now() - interval '${hours} hours'`,
        `status = 'Succeeded' and owner_kind is null`,
      );
    await owned('late', 27);
    await owned('on-time', 25);
    expect(await readRows(reader, cronJob)).toEqual([
      expect.objectContaining({ cron_job: 'late', seconds: 27 * 3600 }),
    ]);
  });

  it('finds a Job that has waited for a quarter of an hour, and not a Job that has waited for less', async () => {
    const set = (minutes: number): string =>
      `status = 'Pending', waiting_for = 'a node', deleted_at = null, started_at = now() - interval '${minutes} minutes'`;
    const [late, early] = [
      await changedJob(set(16), `status = 'Succeeded'`),
      await changedJob(set(14), `status = 'Succeeded'`),
    ];
    const names = (await readRows(reader, waits)).map((row) => row['name']);
    expect(names).toContain(late);
    expect(names).not.toContain(early);
  });
});

const RULES = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          condition: z.literal('B'),
          data: z.array(
            z.object({
              refId: z.string(),
              datasourceUid: z.enum(['jobledger-postgres', '__expr__']),
              model: z.object({ rawSql: z.string().optional(), expression: z.string().optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

describe('the SQL of the guide about migration to Jobledger and back', () => {
  it('lists all unfinished Jobs, with their active pods', async () => {
    const name = await changedJob(
      `managed_by = 'jobledger.dev/job-controller', finished_at = null, deleted_at = null, active = 3`,
      `finished_at is not null and deleted_at is null`,
    );
    const [open] = readSql('migrate-and-back');
    const rows = await readRows(reader, open);
    expect(rows).toContainEqual(expect.objectContaining({ name, active: 3 }));
    const [{ count } = {}] = await readRows(
      owner,
      `select count(*) from jobledger.jobs where finished_at is null and deleted_at is null`,
    );
    expect(rows).toHaveLength(Number(count));
  });
});

describe('the right of a team to read its own rows in SQL', () => {
  const [recipe = '', question, withoutNames = ''] = readSql('team-rights');
  const [role = '', ...rest] = recipe.replaceAll("'team-a'", "'media'").replace('…', 'secret').split(';\n');
  let team: Pool;

  beforeAll(async () => {
    await owner.query(`${role};${rest.join(';\n')}`);
    const url = new URL(postgres.servers.addresses.databaseUrl ?? '');
    Object.assign(url, { username: 'team_a', password: 'secret' });
    team = new Pool({ connectionString: url.href });
    // The server may stop before its connections are closed.
    team.on('error', () => undefined);
  });
  afterAll(() => team?.end());

  it('covers in each view exactly the rows of the namespaces of the team', async () => {
    const names = await readRows(team, `select viewname as name from pg_views where schemaname = 'team_a'`);
    const views = names.map(({ name }) => String(name));
    expect(views).toEqual(expect.arrayContaining(['jobs', 'pods', 'events', 'decisions', 'job_phases']));
    for (const view of views) {
      const places = await readRows(team, `select distinct cluster, namespace from ${view}`);
      for (const { cluster, namespace } of places)
        expect([view, namespace, ['east', 'west'].includes(String(cluster))]).toEqual([view, 'media', true]);
    }
    const count = (await readRows(team, 'select count(*) from jobs'))[0];
    const all = `select count(*) from jobledger.jobs where namespace = 'media' and cluster in ('east', 'west')`;
    expect(count).toEqual((await readRows(owner, all))[0]);
    expect(Number(count?.['count'])).toBeGreaterThan(0);
    expect((await readRows(team, question)).length).toBeGreaterThan(1);
  });

  it.each([
    'select count(*) from jobledger.jobs',
    `select * from jobledger.jobs_as_of(now())`,
    'delete from jobs',
    `update pods set namespace = 'media'`,
    'create table team_a.mine (id integer)',
    'create view team_a.mine as select * from jobledger.jobs',
  ])('does not permit the statement %s', async (statement) => {
    await expect(team.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('hides other rows also from a function that the team calls in a condition', async () => {
    await owner.query('grant create on schema public to team_a');
    await team.query(
      `create function public.tells(namespace text) returns boolean language plpgsql cost 0.0001 as
       $$ begin if namespace <> 'media' then raise exception 'it saw %', namespace; end if; return true; end $$`,
    );
    await expect(
      team.query('select count(*) from conditions where public.tells(namespace)'),
    ).resolves.toBeDefined();
  });

  it('remains after a migration, and can be granted again', async () => {
    await migrate(postgres.database, MIGRATIONS);
    await owner.query(rest.join(';\n'));
    expect((await readRows(team, question)).length).toBeGreaterThan(1);
  });

  it('shows no name of a person when names are excluded', async () => {
    await owner.query(withoutNames);
    const texts = await readRows(
      team,
      `select waiting_for as text from jobs union all select waiting_message from jobs union all select suspend_requested_by from jobs
       union all select waiting_message from decisions union all select message from commands
       union all select message from placements union all select end_message from placements`,
    );
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter(({ text }) => / by /.test(String(text)))).toEqual([]);
    expect((await readRows(team, 'select 1 from commands where message is not null')).length).toBeGreaterThan(
      0,
    );
    await expect(team.query('select 1 from who')).rejects.toMatchObject({ code: '42P01' });
    await owner.query(rest.join(';\n'));
  });

  it('includes a new column when it is granted again', async () => {
    const ask = 'select count(later) from jobs';
    await owner.query('alter table jobledger.jobs add column later integer');
    await expect(team.query(ask)).rejects.toMatchObject({ code: '42703' });
    await owner.query(rest.join(';\n'));
    await expect(readRows(team, ask)).resolves.toHaveLength(1);
    await owner.query('alter table jobledger.jobs drop column later cascade');
  });
});

describe('the rights of many teams to read their own rows in SQL', () => {
  const script = /### Many teams in SQL.*?```sh\n(.*?)```/s.exec(
    readFileSync('docs/guides/team-rights.md', 'utf8'),
  )?.[1];
  const [recipe = ''] = readSql('team-rights');
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-teams-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs the script for these teams with a psql that only stores its input, and then carries out that input. */
  async function give(
    places: readonly string[],
    roles: readonly string[],
    failing = 'nobody',
  ): Promise<string[]> {
    const psql = [
      '#!/bin/sh',
      'sql=$(cat)',
      'case $sql in "select 1 from pg_roles"*)',
      ...roles.map((role) => `  case $sql in *"'${role}'"*) echo 1 ;; esac`),
      '  exit ;; esac',
      `case $1 in *${failing}@*) echo 'exit 3' >&2; exit 3 ;; esac`,
      'file=$(mktemp "$PWD/input-XXXXXX")',
      `printf '%s\\n%s\\n' "$1" "$sql" > "$file"`,
      'echo "$file" >> inputs',
    ];
    writeFileSync(join(folder, 'psql'), psql.join('\n'), { mode: 0o755 });
    writeFileSync(join(folder, 'team.sql'), recipe);
    writeFileSync(join(folder, 'inputs'), '');
    const given = places.map((line) => `echo '${line}'`).join('; ');
    execFileSync('sh', ['-c', `set -e\nPATH=$PWD:$PATH\nplaces() { ${given}; }\n${script}`], { cwd: folder });
    const inputs = readFileSync(join(folder, 'inputs'), 'utf8').trim().split('\n');
    const accounts: string[] = [];
    for (const file of inputs) {
      const [url = '', ...sql] = readFileSync(file, 'utf8').split('\n');
      accounts.push(/\/\/(\w+)@/.exec(url)?.[1] ?? url);
      await owner.query(sql.join('\n'));
    }
    return accounts;
  }

  const seenBy = (role: string): Promise<Row[]> =>
    readRows(owner, `select distinct cluster, namespace from ${role}.jobs order by 1, 2`);

  it('are granted by one run of the script, to each team for its own places', async () => {
    const accounts = await give(['media east/media,west/media', 'data-science east/data'], []);
    expect(accounts).toEqual(['ADMINISTRATOR', 'OWNER', 'ADMINISTRATOR', 'OWNER']);
    expect(await seenBy('team_media')).toEqual([
      { cluster: 'east', namespace: 'media' },
      { cluster: 'west', namespace: 'media' },
    ]);
    expect(await seenBy('team_data_science')).toEqual([{ cluster: 'east', namespace: 'data' }]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.password'))).toEqual([
      'team_data_science.password',
      'team_media.password',
    ]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.sql'))).toEqual(['team.sql']);
  });

  it('are granted again by the owner alone after an upgrade, also for other namespaces', async () => {
    const password = readFileSync(join(folder, 'team_media.password'), 'utf8');
    const accounts = await give(
      ['media west/media', 'data-science east/data'],
      ['team_media', 'team_data_science'],
    );
    expect(accounts).toEqual(['OWNER', 'OWNER']);
    expect(await seenBy('team_media')).toEqual([{ cluster: 'west', namespace: 'media' }]);
    expect(readFileSync(join(folder, 'team_media.password'), 'utf8')).toBe(password);
  });

  it.each(['Team-A', 'a_b', 'a.b', '1st', 'x'.repeat(52)])(
    'are granted to no team if the list of teams has the invalid name %s',
    async (name) => {
      await expect(give(['media west/media', `${name} east/media`], ['team_media'])).rejects.toThrow(name);
      expect(readFileSync(join(folder, 'inputs'), 'utf8')).toBe('');
    },
  );

  it('do not damage the tables when a team is named jobledger, like their schema', async () => {
    await give(['jobledger west/media'], []);
    expect(await seenBy('team_jobledger')).toEqual([{ cluster: 'west', namespace: 'media' }]);
    expect(await readRows(owner, 'select count(*) > 0 as kept from jobledger.jobs')).toEqual([
      { kept: true },
    ]);
  });

  it('are not granted if the statements of the administrator fail', async () => {
    await expect(give(['later west/media'], [], 'ADMINISTRATOR')).rejects.toThrow('exit 3');
    expect(readFileSync(join(folder, 'inputs'), 'utf8')).toBe('');
  });
});

describe('the SQL of the guide about evidence for an auditor', () => {
  const [asOf, watched, gaps, connected, asked, images] = readSql('evidence-for-an-auditor');

  it('shows when a watch last reported Jobs and pods, and the gaps that overlap a period', async () => {
    const last = await readRows(reader, watched);
    expect(new Set(last.map(({ type }) => type))).toEqual(new Set(['job.observed', 'pod.observed']));
    const all = await readRows(reader, "select since, until from jobledger.gaps where cluster = 'east'");
    expect(all.length).toBeGreaterThan(0);
    const within = gaps?.replaceAll(/'2026-03-0\d[^']*'/g, 'now()') ?? '';
    expect(await readRows(reader, within)).toEqual([]);
    const touched = gaps
      ?.replace("'2026-03-02T00:00:00Z'", 'now()')
      .replace(/'2026-03-01[^']*'/, "'2000-01-01'");
    expect(await readRows(reader, touched)).toHaveLength(all.length);
  });

  it('shows when an ingester began to watch, also when the beginning lies before the period', async () => {
    const until = connected?.replace("'2026-03-02T00:00:00Z'", 'now()');
    const all = await readRows(reader, until?.replace(/'2026-03-01[^']*'/, "'2000-01-01'"));
    expect(all.length).toBeGreaterThan(0);
    expect(await readRows(reader, until?.replace(/'2026-03-01[^']*'/, 'now()'))).toEqual(all.slice(-1));
  });

  it('shows the Jobs that ran at an instant, the users who requested them, and their images', async () => {
    const [ran] = await readRows(
      owner,
      "select name, (started_at + (finished_at - started_at) / 2)::text as at from jobledger.jobs where status = 'Succeeded' order by finished_at - started_at desc limit 1",
    );
    const running = await readRows(
      reader,
      asOf?.replace("now() - interval '1 day'", `'${String(ran?.['at'])}'`),
    );
    expect(running.map(({ name }) => name)).toContain(ran?.['name']);
    const requests = await readRows(reader, asked);
    const actions = new Set(requests.map(({ action }) => action));
    expect([actions.has('suspend'), actions.has('resume')]).toEqual([true, true]);
    for (const { by } of requests) expect(typeof by).toBe('string');
    const pods = await readRows(reader, images);
    expect(pods.length).toBeGreaterThan(0);
    for (const { container, node } of pods)
      expect([typeof container, typeof node]).toEqual(['string', 'string']);
    expect(Object.keys(pods[0] ?? {})).toEqual(expect.arrayContaining(['pod_uid', 'image', 'image_digest']));
  });
});
