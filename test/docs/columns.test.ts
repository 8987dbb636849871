import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { columnsPage, functionsIn, relationsIn } from './columns.ts';

const SCHEMA = readFileSync('services/projector/schema.sql', 'utf8');

describe('the columns of docs/sql-columns.md', () => {
  it('are the columns of every table and view of the dump', () => {
    const tables = SCHEMA.split('\n\n').filter((block) => /^create table /m.test(block));
    const lines = tables.flatMap((block) => block.match(/^ {2}(?!--|constraint )\S.*$/gm) ?? []);
    const views = SCHEMA.match(/^-- {3}\S.*: /gm) ?? [];
    const columns = relationsIn(SCHEMA).flatMap((relation) => relation.columns);
    expect(columns).toHaveLength(lines.length + views.length);
    expect(columns.length).toBeGreaterThan(300);
  });

  it('have their type and their meaning', () => {
    const jobs = relationsIn(SCHEMA).find(({ name }) => name === 'jobs');
    expect(jobs?.columns).toContainEqual({
      name: 'created_at',
      type: 'timestamptz',
      about: 'metadata.creationTimestamp.',
    });
    expect(jobs?.columns).toContainEqual(expect.objectContaining({ name: 'status', type: 'text' }));
    const phases = relationsIn(SCHEMA).find(({ name }) => name === 'job_phases');
    expect(phases).toMatchObject({
      kind: 'view',
      about: expect.stringMatching(/^The duration of each phase/),
    });
    expect(phases?.columns.at(-1)).toMatchObject({ name: 'attempt_count', type: 'integer' });
  });

  it('must each have a meaning', () => {
    expect(() => relationsIn('-- Things.\ncreate table things (\n  id text\n);\n')).toThrow(
      'things has a column without a comment',
    );
  });

  it('have a section for each table', () => {
    const relations = relationsIn(
      '-- Things.\ncreate table things (\n  -- Its | id.\n  id text not null\n);\n',
    );
    const page = columnsPage(relations, []);
    expect(page).toMatch(/^# Columns of the tables\n/);
    expect(page).toContain('## `things`\n\nThings.\n');
    expect(page).toContain('| `id` | text | Its \\| id. |');
  });
});

describe('the functions of docs/sql-columns.md', () => {
  const functions = functionsIn(SCHEMA);

  it('are all functions of the dump, with their meaning', () => {
    expect(functions).toHaveLength(SCHEMA.match(/^CREATE OR REPLACE FUNCTION /gm)?.length ?? 0);
    expect(functions).toContainEqual({
      signature: 'jobs_as_of(at timestamptz)',
      returns: 'SETOF job_statuses',
      about: expect.stringMatching(/^Status of every Job/),
    });
  });

  it('must have a meaning', () => {
    expect(() => functionsIn('CREATE OR REPLACE FUNCTION jobledger.now()\n RETURNS text\n')).toThrow(
      'now() has no comment',
    );
  });

  it('show the table whose columns they return, or their columns', () => {
    const page = columnsPage([], functions);
    expect(page).toMatch(
      /\| `jobs_as_of\(at timestamptz\)` \| rows of \[`job_statuses`\]\(#job_statuses\) \|/,
    );
    expect(page).toMatch(/\| `cluster_as_of\(.*\)` \| rows with home text, namespace text, /);
    expect(page).toMatch(/\| `horizon\(\)` \| timestamptz \|/);
  });
});
