import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { missingFor } from '../../cli/verbs/check/parts.ts';

const { signal } = new AbortController();

describe('a missing requirement of a service', () => {
  it('is reported with its variable, and only for a part that the service uses', async () => {
    const of = async (...given: Parameters<typeof missingFor>): Promise<string[]> =>
      (await missingFor(...given)).map((line) => line.replace(/:.*/s, ''));
    expect(await of('ingester', {}, signal)).toEqual(['Kafka']);
    expect(await of('dispatcher', {}, signal)).toEqual(['Kafka', 'Temporal']);
    expect(await of('worker', {}, signal)).toEqual(['Kafka', 'Temporal', 'Postgres']);
    expect(await of('projector', {}, signal)).toEqual(['Kafka', 'Postgres']);
    expect(await missingFor('ingester', { JOBLEDGER_KUBECONFIG: '/none/kubeconfig' }, signal)).toEqual([
      'Kafka: the configuration is not usable:\n  KAFKA_BROKERS: name at least one broker as host:port',
      expect.stringContaining('clusters: kubeconfig /none/kubeconfig cannot be read'),
    ]);
  });

  it('is reported when it is a file that the service itself opens', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-check-'));
    const [JOBLEDGER_API_TOKENS_FILE, JOBLEDGER_API_TLS_CERT] = [
      join(folder, 'tokens'),
      join(folder, 'tls.crt'),
    ];
    try {
      writeFileSync(JOBLEDGER_API_TOKENS_FILE, '');
      const lines = await missingFor('api', { JOBLEDGER_API_TOKENS_FILE, JOBLEDGER_API_TLS_CERT }, signal);
      expect(lines.filter((line) => line.startsWith('files'))).toEqual([
        `files: JOBLEDGER_API_TLS_CERT: the file ${JOBLEDGER_API_TLS_CERT} cannot be read`,
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is reported when it is a variable or a file that a sink of a projector names', async () => {
    const JOBLEDGER_SINKS = 'sinks: [{name: pager, url: {env: PAGER_URL}, secret: {file: /none/secret}}]';
    const lines = (variables: NodeJS.ProcessEnv): Promise<string[]> =>
      missingFor('projector', { JOBLEDGER_SINKS, ...variables }, signal);
    expect(await lines({})).toContain(
      'sinks: JOBLEDGER_SINKS is not usable:\n  the sink pager: url: the variable PAGER_URL is not set',
    );
    expect(await lines({ PAGER_URL: 'https://pager.example/' })).toContainEqual(
      expect.stringContaining('the sink pager: secret: the file /none/secret cannot be read'),
    );
  });

  // Behind a load balancer without backends, every connection is accepted.
  it('is reported, without its password, when it is a server that accepts connections and never answers', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const lines = await missingFor(
        'worker',
        {
          KAFKA_BROKERS: at,
          TEMPORAL_ADDRESS: at,
          DATABASE_URL: `postgres://jobledger:never-shown@${at}/jobledger`,
        },
        signal,
      );
      expect(lines).toEqual([
        expect.stringContaining(`Kafka: no broker answers at ${at}; check KAFKA_BROKERS`),
        expect.stringContaining(`Temporal: Temporal at ${at} does not answer`),
        expect.stringContaining(`Postgres: Postgres at ${at}/jobledger as "jobledger" does not answer`),
      ]);
      expect(lines.join('\n')).not.toContain('never-shown');
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  }, 60_000);
});
