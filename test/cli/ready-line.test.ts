import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readyLine } from '../../cli/verbs/up/lines.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-state-'));
afterAll(() => rmSync(stateDir, { recursive: true }));

describe('the line with which `up` reports that every service is ready', () => {
  const databaseUrl = 'postgres://jobledger:secret@127.0.0.1:5432/jobledger';

  it('names the file with the password of the embedded Postgres, and omits the password', () => {
    mkdirSync(join(stateDir, 'postgres'));
    writeFileSync(join(stateDir, 'postgres', 'password'), 'secret');
    const line = readyLine({ databaseUrl }, { stateDir });
    expect(line).toContain(` postgres-password=${join(stateDir, 'postgres', 'password')}`);
    expect(line).not.toContain('secret');
  });

  it('names no file for the database of another server', () => {
    const other = 'postgres://jobledger:other@db.example.com/jobledger';
    expect(readyLine({ databaseUrl: other }, { stateDir })).not.toContain('postgres-password');
    expect(readyLine({ databaseUrl }, { stateDir: 'none' })).not.toContain('postgres-password');
  });

  it('has the name of the cluster in the ledger', () => {
    expect(readyLine({ contexts: ['local'] }, { stateDir, clusterName: 'audit' })).toContain(
      ' cluster=audit',
    );
    expect(readyLine({ contexts: ['local'] }, { stateDir })).toContain(' cluster=local');
    expect(readyLine({ contexts: ['a', 'b'] }, { stateDir })).toContain(' cluster=a,b');
  });
});
