import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { relationsIn, withColumns } from './columns.ts';

const SCHEMA = readFileSync('services/projector/schema.sql', 'utf8');

describe('the columns of docs/sql.md', () => {
  it('are those of every table and view of the dump', () => {
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
    expect(jobs?.columns).toContainEqual(expect.objectContaining({ name: 'state', type: 'text' }));
    const phases = relationsIn(SCHEMA).find(({ name }) => name === 'job_phases');
    expect(phases).toMatchObject({ kind: 'view', about: expect.stringMatching(/^How long each phase/) });
    expect(phases?.columns.at(-1)).toMatchObject({ name: 'attempts', type: 'integer' });
  });

  it('must have one', () => {
    expect(() => relationsIn('-- Things.\ncreate table things (\n  id text\n);\n')).toThrow(
      'things has a column without a comment',
    );
  });

  it('replace the list that the page had, and nothing else', () => {
    const relations = relationsIn(
      '-- Things.\ncreate table things (\n  -- Its | id.\n  id text not null\n);\n',
    );
    const page = withColumns('# Page\n\ntext\n\n## Columns\n\nold\n', relations);
    expect(page).toMatch(/^# Page\n\ntext\n\n## Columns\n/);
    expect(page).toContain('| `id` | text | Its \\| id. |');
    expect(page).not.toContain('old');
    expect(withColumns(page, relations)).toBe(page);
  });
});
