import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { nodeCommand } from '../../infra/local/processes/child.ts';
import { jobledger } from '../support/rebuild.ts';
import { install, type Installation } from '../support/installation.ts';
import { SECURED, startSecuredServers, type SecuredServers } from '../support/secured-servers.ts';

let installation: Installation;
let servers: SecuredServers;

beforeAll(async () => {
  installation = await install({ separate: true });
  servers = await startSecuredServers(installation.environment['TEMPORAL_ADDRESS'] ?? '');
  Object.assign(installation.environment, secured());
}, 240_000);

afterAll(async () => {
  await installation?.stop();
  await servers?.stop();
}, 60_000);

type Variables = Record<string, string>;

/** Returns the variables for servers that all require TLS and credentials. */
function secured(): Variables {
  const { certificates, kafka, databaseUrl, temporal } = servers;
  return {
    KAFKA_BROKERS: kafka.sasl,
    KAFKA_TLS_CA: certificates.ca,
    KAFKA_SASL_MECHANISM: 'scram-sha-512',
    KAFKA_SASL_USERNAME: 'jobledger',
    KAFKA_SASL_PASSWORD: SECURED.scram,
    KAFKA_SASL_WITHOUT_TLS: 'false',
    DATABASE_URL: `${databaseUrl}?sslmode=verify-full&sslrootcert=${certificates.ca}`,
    TEMPORAL_ADDRESS: temporal.apiKey,
    TEMPORAL_TLS_CA: certificates.ca,
    TEMPORAL_API_KEY: SECURED.apiKey,
  };
}

/** Returns the secrets of the services that are in a text. */
function secretsIn(text: string): string[] {
  const password = new URL(servers.databaseUrl).password;
  return [...Object.values(SECURED), password].filter((secret) => text.includes(secret));
}

describe('with TLS and credentials at every server', () => {
  it('Jobs run, are shown in SQL, and verify finds no difference', async () => {
    const { cluster, startServices, environment } = installation;
    await startServices(['ingester', 'dispatcher', 'worker', 'projector']);
    await cluster.createJob('well', { completions: 2, parallelism: 2 }, {});
    await cluster.createJob('failing', { backoffLimit: 0 }, { command: ['false'] });
    for (const name of ['well', 'failing']) await cluster.finished(name);
    const verified = await jobledger(environment, 'admin', 'verify', '--all');
    expect(verified).toMatchObject({ exitCode: 0 });
    const { stdout } = await jobledger(environment, 'get', '-o', 'json');
    expect(stdout).toMatch(/"well"/);
  }, 120_000);

  it('the logs of the services contain no secret', () => {
    const logs = join(installation.stateDir, 'logs');
    const ours = readdirSync(logs).filter((file) => /^(ingester|dispatcher|worker|projector)/.test(file));
    const text = ours.map((file) => readFileSync(join(logs, file), 'utf8')).join('\n');
    expect(text).toContain('"service":"worker"');
    expect(secretsIn(text)).toEqual([]);
  });
});

/** Returns the output of a service until it ends, is ready, or reports what it waits for. */
async function output(service: string, variables: Variables): Promise<string> {
  const { file, args } = nodeCommand(join('services', service, 'main.ts'));
  const env = { ...installation.environment, JOBLEDGER_METRICS_ADDRESS: 'off', ...variables };
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  await new Promise<void>((resolve) => {
    const read = (data: Buffer): void => {
      text += data.toString();
      if (/waiting for it|is running|ready/.test(text)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', (code) => {
      text += `exit status ${code}`;
      resolve();
    });
  });
  child.kill('SIGKILL');
  return text;
}

describe('a service that signs in by another method than SCRAM or an API key', () => {
  it.each([
    [
      'Kafka with a password',
      'projector',
      () => ({ KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: SECURED.plain }),
    ],
    [
      'Kafka with tokens of an OAuth server',
      'projector',
      () => ({
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        KAFKA_SASL_PASSWORD: SECURED.oauth,
        KAFKA_OAUTH_TOKEN_URL: servers.tokenUrl,
      }),
    ],
    [
      'Kafka with a client certificate',
      'projector',
      () => ({
        KAFKA_BROKERS: servers.kafka.mutual,
        KAFKA_SASL_MECHANISM: '',
        KAFKA_TLS_CERT: servers.certificates.clientCert,
        KAFKA_TLS_KEY: servers.certificates.clientKey,
      }),
    ],
    [
      'Temporal with a client certificate',
      'dispatcher',
      () => ({
        TEMPORAL_ADDRESS: servers.temporal.mutual,
        TEMPORAL_API_KEY: '',
        TEMPORAL_TLS_CERT: servers.certificates.clientCert,
        TEMPORAL_TLS_KEY: servers.certificates.clientKey,
      }),
    ],
  ] as const)(
    'becomes ready: %s',
    async (_how, service, variables) => {
      expect(await output(service, variables())).toMatch(/ready/);
    },
    30_000,
  );
});

describe('a refused connection', () => {
  it.each([
    [
      'Kafka, wrong password',
      'projector',
      () => ({ KAFKA_SASL_PASSWORD: 'wrong' }),
      /Kafka at \S+ refuses our credentials: .*; check KAFKA_SASL_/,
    ],
    [
      'Kafka, unknown authority',
      'projector',
      () => ({ KAFKA_TLS_CA: servers.certificates.otherCa }),
      /no TLS connection to Kafka at \S+: .*; check KAFKA_TLS_/,
    ],
    [
      'Kafka, no client certificate',
      'projector',
      () => ({ KAFKA_BROKERS: servers.kafka.mutual, KAFKA_SASL_MECHANISM: '' }),
      /no TLS connection to Kafka at \S+: .*; check KAFKA_TLS_/,
    ],
    [
      'Kafka, password without TLS',
      'projector',
      () => ({ KAFKA_TLS_CA: '' }),
      /KAFKA_SASL_MECHANISM without TLS would send credentials in plain text: set KAFKA_TLS=true, or KAFKA_SASL_WITHOUT_TLS=true to allow it/,
    ],
    [
      'Kafka, wrong secret at the OAuth server',
      'projector',
      () => ({
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        KAFKA_SASL_PASSWORD: 'wrong',
        KAFKA_OAUTH_TOKEN_URL: servers.tokenUrl,
      }),
      /the token endpoint \S+ refuses the client "jobledger" with status 401/,
    ],
    [
      'Postgres, no TLS',
      'projector',
      () => ({ DATABASE_URL: servers.databaseUrl }),
      /Postgres refuses .*no encryption.*check DATABASE_URL/,
    ],
    [
      'Postgres, unknown authority',
      'projector',
      () => ({
        DATABASE_URL: `${servers.databaseUrl}?sslmode=verify-full&sslrootcert=${servers.certificates.otherCa}`,
      }),
      /no TLS connection to Postgres at .*; check sslmode and sslrootcert in DATABASE_URL/,
    ],
    [
      'Postgres, wrong password',
      'projector',
      () => ({ DATABASE_URL: secured()['DATABASE_URL']?.replace(/:[^:@]+@/, ':wrong@') ?? '' }),
      /Postgres refuses .*password authentication failed.*check DATABASE_URL/,
    ],
    [
      'Temporal, unknown authority',
      'worker',
      () => ({ TEMPORAL_TLS_CA: servers.certificates.otherCa }),
      /no TLS connection to Temporal at \S+: .*; check TEMPORAL_TLS_/,
    ],
    [
      'Temporal, wrong key',
      'dispatcher',
      () => ({ TEMPORAL_API_KEY: 'wrong' }),
      /Temporal at \S+ refuses our credentials: .*; check TEMPORAL_API_KEY/,
    ],
    [
      'Temporal, no client certificate',
      'dispatcher',
      () => ({ TEMPORAL_ADDRESS: servers.temporal.mutual, TEMPORAL_API_KEY: '' }),
      /no TLS connection to Temporal at \S+: .*; check TEMPORAL_TLS_/,
    ],
  ] as const)(
    'is reported and ends the service: %s',
    async (_what, service, variables, message) => {
      const text = await output(service, variables());
      expect(text).toMatch(message);
      expect(text).toMatch(/exit status 78/);
      expect(secretsIn(text)).toEqual([]);
    },
    20_000,
  );
});
