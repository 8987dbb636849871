import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { createMetrics } from '../../services/adapters/metrics/metrics.ts';
import { auditLogEnvironment, createUserNames } from '../../services/audit-log/settings.ts';
import { parseAuditLogs, auditLogsByCluster } from '../../services/ingester/audit-log/audit-logs.ts';

const folder = mkdtempSync(join(tmpdir(), 'audit-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

function names(key?: string): ReturnType<typeof createUserNames> {
  const file = join(folder, 'key');
  if (key !== undefined) writeFileSync(file, key);
  return createUserNames(
    auditLogEnvironment.parse(key === undefined ? {} : { JOBLEDGER_AUDIT_NAME_KEY_FILE: file }),
  );
}

describe('the variable JOBLEDGER_AUDIT_NAME_KEY_FILE', () => {
  it('makes pseudonyms that depend only on the key, and programs of Kubernetes keep their names', () => {
    const [one, two] = [names('a'.repeat(32)), names('b'.repeat(32))];
    expect(one.recordedName('ann')).toMatch(/^user-[0-9a-f]{24}$/);
    expect(one.recordedName('ann')).toBe(names('a'.repeat(32)).recordedName('ann'));
    expect(one.recordedName('ann')).not.toBe(two.recordedName('ann'));
    expect(one.recordedName('system:serviceaccount:ci:runner')).toBe('system:serviceaccount:ci:runner');
    expect(names().recordedName('ann')).toBe('ann');
  });

  it('is refused without its content when the key is too short or cannot be read', () => {
    expect(() => names('hunter2')).toThrow(/has 7 bytes; a key has at least 32/);
    expect(() => names('hunter2')).not.toThrow(/hunter2/);
    const config = auditLogEnvironment.parse({ JOBLEDGER_AUDIT_NAME_KEY_FILE: join(folder, 'none') });
    expect(() => createUserNames(config)).toThrow(/JOBLEDGER_AUDIT_NAME_KEY_FILE: .* cannot be read/);
  });
});

describe('the variable JOBLEDGER_AUDIT_LOGS', () => {
  it('gives a file for each cluster', () => {
    expect([...parseAuditLogs('east=/a.log, west=/b=c.log')]).toEqual([
      ['east', '/a.log'],
      ['west', '/b=c.log'],
    ]);
    expect([...parseAuditLogs('')]).toEqual([]);
  });

  it.each([
    ['/a.log', /is not CLUSTER=FILE/],
    ['east=/a,east=/b', /the cluster east is given twice/],
  ])('is refused when it is %s', (text, message) => {
    expect(() => parseAuditLogs(text)).toThrow(message);
  });

  it('may not name a cluster that the ingester does not record', () => {
    const config = { ...auditLogEnvironment.parse({}), JOBLEDGER_AUDIT_LOGS: parseAuditLogs('west=/a.log') };
    expect(() => auditLogsByCluster(config, ['east'], createMetrics())).toThrow(
      /"west" is not one of the clusters/,
    );
  });
});
