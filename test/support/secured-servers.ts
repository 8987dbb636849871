import {
  chownSync,
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaClasses } from '../../infra/local/servers/kafka-classes.ts';
import { planKafkaServer } from '../../infra/local/servers/kafka.ts';
import { LOOPBACK, reservePorts } from '../../infra/local/state/ports.ts';
import { placePostgres } from '../../infra/local/servers/postgres-place.ts';
import { planPostgresServer } from '../../infra/local/servers/postgres.ts';
import { createSupervisor } from '../../infra/local/processes/supervisor.ts';
import { findKafka } from '../../infra/local/tools/find-kafka.ts';
import { makeCertificates, type Certificates } from './certificates.ts';
import { startTokenEndpoint } from './token-endpoint.ts';

/** Passwords and keys that must be in no log. */
export const SECURED = {
  plain: 'secret-4c1d-plain',
  scram: 'secret-8e2f-scram',
  oauth: 'secret-1b7a-oauth',
  apiKey: 'secret-6d9c-api-key',
};

/** Servers that demand TLS and credentials. */
export interface SecuredServers {
  certificates: Certificates;
  /** Listeners of one Kafka: SASL over TLS, and TLS with a client certificate. */
  kafka: { sasl: string; mutual: string };
  /** Takes client credentials `jobledger` with `SECURED.oauth`. */
  tokenUrl: string;
  /** Only TLS; without `sslmode`. */
  databaseUrl: string;
  /** TLS before a Temporal: with an API key, and with a client certificate. */
  temporal: { apiKey: string; mutual: string };
  stop(): Promise<void>;
}

/** `temporalAddress`: a server without TLS, which the ones here stand before. */
export async function startSecuredServers(temporalAddress: string): Promise<SecuredServers> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-secured-'));
  chmodSync(stateDir, 0o755);
  const certificates = await makeCertificates(join(stateDir, 'certificates'));
  const endpoint = await startTokenEndpoint({ id: 'jobledger', secret: SECURED.oauth });
  const report = (): void => undefined;
  const supervisor = createSupervisor({
    runDir: join(stateDir, 'run'),
    logsDir: join(stateDir, 'logs'),
    report,
  });
  const [kafka, postgres] = [
    await securedKafka(stateDir, certificates, endpoint.jwksUrl),
    await securedPostgres(stateDir, certificates),
  ];
  await Promise.all([kafka.spec, postgres.spec].map((spec) => supervisor.start(spec)));
  const proxies = await Promise.all([
    temporalProxy(temporalAddress, certificates, { apiKey: SECURED.apiKey }),
    temporalProxy(temporalAddress, certificates, { clientCertificate: true }),
  ]);
  return {
    certificates,
    kafka: kafka.listeners,
    tokenUrl: endpoint.tokenUrl,
    databaseUrl: postgres.databaseUrl,
    temporal: { apiKey: proxies[0].address, mutual: proxies[1].address },
    async stop() {
      for (const proxy of proxies) proxy.close();
      endpoint.close();
      await supervisor.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}

async function securedKafka(
  stateDir: string,
  { ca, server }: Certificates,
  jwksUrl: string,
): Promise<{ spec: ReturnType<typeof planKafkaServer>['spec']; listeners: SecuredServers['kafka'] }> {
  const signal = new AbortController().signal;
  const found = await findKafka({ report: () => undefined, signal });
  const port = await reservePorts(join(stateDir, 'kafka-ports.json'), [
    'kafka',
    'controller',
    'sasl',
    'mutual',
  ]);
  const at = (name: string): string => `${LOOPBACK}:${port(name)}`;
  const listeners = [`LOCAL://${at('kafka')}`, `CLIENT://${at('sasl')}`, `MUTUAL://${at('mutual')}`];
  const login = 'org.apache.kafka.common.security';
  const settings = {
    listeners: [...listeners, `CONTROLLER://${at('controller')}`].join(','),
    'advertised.listeners': listeners.join(','),
    'listener.security.protocol.map':
      'LOCAL:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT,CLIENT:SASL_SSL,MUTUAL:SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': server,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': ca,
    'listener.name.mutual.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512,OAUTHBEARER',
    'listener.name.client.plain.sasl.jaas.config': `${login}.plain.PlainLoginModule required user_jobledger="${SECURED.plain}";`,
    'listener.name.client.scram-sha-512.sasl.jaas.config': `${login}.scram.ScramLoginModule required;`,
    'listener.name.client.oauthbearer.sasl.jaas.config': `${login}.oauthbearer.OAuthBearerLoginModule required;`,
    'listener.name.client.oauthbearer.sasl.server.callback.handler.class': `${login}.oauthbearer.OAuthBearerValidatorCallbackHandler`,
    'listener.name.client.oauthbearer.sasl.oauthbearer.jwks.endpoint.url': jwksUrl,
    'listener.name.client.oauthbearer.sasl.oauthbearer.expected.audience': 'kafka',
  };
  const user = `SCRAM-SHA-512=[name=jobledger,password=${SECURED.scram}]`;
  const { spec } = planKafkaServer({
    stateDir,
    port: port('kafka'),
    controllerPort: port('controller'),
    ...found,
    classes: `-XX:SharedArchiveFile=${await kafkaClasses(found, { report: () => undefined, signal })}`,
    security: {
      settings,
      formatArguments: ['--add-scram', user],
      javaOptions: [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${jwksUrl}`],
    },
  });
  return { spec, listeners: { sasl: at('sasl'), mutual: at('mutual') } };
}

/** The database `postgres` takes connections without TLS, for the server's own start. */
async function securedPostgres(
  stateDir: string,
  { serverCert, serverKey }: Certificates,
): Promise<ReturnType<typeof planPostgresServer>> {
  const { user } = placePostgres(stateDir);
  const port = await reservePorts(join(stateDir, 'postgres-ports.json'), ['postgres']);
  const hba = join(stateDir, 'pg_hba.conf');
  const key = join(stateDir, 'postgres-key.pem');
  writeFileSync(
    hba,
    `host postgres all ${LOOPBACK}/32 scram-sha-256\nhostssl all all ${LOOPBACK}/32 scram-sha-256\n`,
  );
  copyFileSync(serverKey, key);
  chmodSync(key, 0o600);
  if (user !== undefined) chownSync(key, user.uid, user.gid);
  const settings = ['ssl=on', `ssl_cert_file=${serverCert}`, `ssl_key_file=${key}`, `hba_file=${hba}`];
  return planPostgresServer({ stateDir, port: port('postgres'), settings });
}

/** Speaks HTTP/2 over TLS, and passes requests on that show the API key or came with a certificate of ours. */
async function temporalProxy(
  target: string,
  { ca, serverCert, serverKey }: Certificates,
  demanded: { apiKey?: string; clientCertificate?: boolean },
): Promise<{ address: string; close: () => void }> {
  const mutual = demanded.clientCertificate === true;
  const server = createSecureServer({
    key: readFileSync(serverKey),
    cert: readFileSync(serverCert),
    ...(mutual && { ca: readFileSync(ca), requestCert: true, rejectUnauthorized: true }),
  });
  const upstream = connect(`http://${target}`);
  upstream.on('error', () => undefined);
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    if (demanded.apiKey !== undefined && headers.authorization !== `Bearer ${demanded.apiKey}`)
      return refuse(stream);
    const passed = upstream.request(
      { ...headers, ':authority': target, ':scheme': 'http' },
      { endStream: false },
    );
    passed.on('error', () => stream.close());
    passed.on('response', (answer) => {
      stream.respond(answer, { waitForTrailers: true });
      passed.on('data', (data: Buffer) => stream.write(data));
    });
    let trailers = {};
    passed.on('trailers', (sent) => (trailers = sent));
    stream.on('wantTrailers', () => stream.sendTrailers(trailers));
    passed.on('end', () => stream.end());
    stream.on('close', () => passed.close());
    stream.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return {
    address: `${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    close() {
      upstream.destroy();
      server.close();
    },
  };
}

function refuse(stream: ServerHttp2Stream): void {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': '16',
      'grpc-message': 'not authenticated',
    },
    { endStream: true },
  );
}
