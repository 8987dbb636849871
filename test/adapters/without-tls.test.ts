import { createLog } from '../../services/adapters/process/log.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { openDatabase } from '../../services/adapters/postgres/database.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { sinkEnvironment, readSinkSettings } from '../../services/projector/sink/config.ts';

const log = createLog('test');
log.level = 'silent';

async function postgres(address: string, without?: 'true'): Promise<void> {
  const allowed = without === undefined ? {} : { DATABASE_WITHOUT_TLS: without };
  await openDatabase({ DATABASE_URL: address, ...allowed }, log).close();
}

const address = 'postgres://jobledger:s3cret@db.example.com/jobledger';

describe('an address of Postgres on another machine without TLS', () => {
  it.each([address, `${address}?sslmode=disable`, `${address}?sslmode=prefer`])(
    'is refused when it is %s',
    async (url) => {
      await expect(postgres(url)).rejects.toThrow(
        'DATABASE_URL without TLS would send the password and all rows to db.example.com in plain text: add ?sslmode=verify-full&sslrootcert=FILE to it, or set DATABASE_WITHOUT_TLS=true if you trust the network',
      );
      await expect(postgres(url)).rejects.not.toThrow(/s3cret/);
    },
  );

  it('is allowed by the variable DATABASE_WITHOUT_TLS', async () => {
    await expect(postgres(address, 'true')).resolves.toBeUndefined();
  });
});

describe('an address of Postgres with TLS or on this machine', () => {
  it.each([
    `${address}?sslmode=verify-full`,
    `${address}?sslmode=require`,
    'postgres://jobledger:s3cret@127.0.0.1:5432/jobledger',
    'postgres://jobledger@[::1]/jobledger',
    'postgres://jobledger@localhost/jobledger',
    'postgres:///jobledger',
    'postgres:///jobledger?host=/var/run/postgresql',
  ])('needs no variable DATABASE_WITHOUT_TLS: %s', async (url) => {
    await expect(postgres(url)).resolves.toBeUndefined();
  });
});

describe('the address of a sink', () => {
  const urls = (environment: NodeJS.ProcessEnv): unknown[] =>
    readSinkSettings(readConfig(sinkEnvironment, environment), {}).map(({ to }) => to.url);

  it('is refused without TLS on another machine, unless the sink allows it', () => {
    const given = { JOBLEDGER_SINK_URL: 'http://events.example.com/jobs' };
    expect(() => urls(given)).toThrow(
      'JOBLEDGER_SINK_URL without TLS would receive its token and the ends of Jobs in plain text: use https://, or set JOBLEDGER_SINK_WITHOUT_TLS=true where the network is trusted',
    );
    expect(urls({ ...given, JOBLEDGER_SINK_WITHOUT_TLS: 'true' })).toEqual([given.JOBLEDGER_SINK_URL]);
  });

  it.each(['https://events.example.com/jobs', 'http://127.0.0.1:8080/', 'http://[::1]:8080/'])(
    'is accepted with TLS or on this machine: %s',
    (url) => {
      expect(urls({ JOBLEDGER_SINK_URL: url })).toEqual([url]);
    },
  );
});

describe('an address of a token endpoint without TLS', () => {
  const connect = (tokenUrl: string, more: NodeJS.ProcessEnv = {}): unknown =>
    connectKafka(
      readConfig(kafkaEnvironment, {
        KAFKA_BROKERS: 'kafka.example.com:9093',
        KAFKA_TLS: 'true',
        KAFKA_SASL_MECHANISM: 'oauthbearer',
        KAFKA_SASL_USERNAME: 'client',
        KAFKA_SASL_PASSWORD: 's3cret',
        KAFKA_OAUTH_TOKEN_URL: tokenUrl,
        ...more,
      }),
      log,
    );

  it('is refused on another machine, unless the sink allows it', () => {
    expect(() => connect('http://login.example.com/token')).toThrow(
      'KAFKA_OAUTH_TOKEN_URL without TLS would receive the secret of the client in plain text: use https://, or set KAFKA_SASL_WITHOUT_TLS=true to allow it',
    );
    connect('http://login.example.com/token', { KAFKA_SASL_WITHOUT_TLS: 'true' });
    connect('https://login.example.com/token');
    connect('http://127.0.0.1:8080/token');
  });
});
