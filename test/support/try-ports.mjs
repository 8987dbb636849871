// Tries ports of this machine as another account, without any credential. Ports come by IPC; what each gives away goes back.
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import net from 'node:net';

const NOBODY = 65_534;
const LIMIT_MS = 5000;
const HOST = '127.0.0.1';

/** Paths of etcd's peers, Kubernetes' servers, our services, and Temporal's HTTP API. */
const PATHS = [
  '/',
  '/metrics',
  '/members',
  '/configz',
  '/debug/pprof/cmdline',
  '/pods',
  '/api/v1/secrets',
  '/api/v1/namespaces',
  '/v1/jobs',
  '/v1/clusters',
  '/api/v1/namespaces/default/workflows',
];

function readStatus(module, port, path) {
  return new Promise((resolve) => {
    const options = { host: HOST, port, path, rejectUnauthorized: false, agent: false, timeout: LIMIT_MS };
    const request = module.get(options, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(0));
  });
}

/** The first bytes that a server answers; null when it closes the connection or stays silent. */
function firstAnswer(port, bytes) {
  return new Promise((resolve) => {
    const socket = net.connect({ host: HOST, port }, () => socket.write(bytes));
    socket.setTimeout(LIMIT_MS, () => socket.destroy());
    socket.on('data', (data) => {
      resolve(data);
      socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(null));
  });
}

function withLength(body) {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([length, body]);
}

/** Signs in as a user that needs no password. */
async function hasOpenPostgres(port, user) {
  const body = Buffer.concat([
    Buffer.from([0, 3, 0, 0]),
    Buffer.from(`user\0${user}\0database\0postgres\0\0`),
  ]);
  const answer = await firstAnswer(port, withLength(body));
  // AuthenticationOk.
  return answer?.[0] === 0x52 && answer.readInt32BE(5) === 0;
}

/** Asks for the topics (Metadata, version 1) without signing in. */
async function hasOpenKafka(port) {
  const body = Buffer.from([0, 3, 0, 1, 0, 0, 0, 7, 0, 1, 0x78, 0xff, 0xff, 0xff, 0xff]);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  const answer = await firstAnswer(port, Buffer.concat([length, body]));
  return answer !== null && answer.length >= 8 && answer.readInt32BE(4) === 7;
}

function hasOpenGrpc(port) {
  return new Promise((resolve) => {
    const session = http2.connect(`http://${HOST}:${port}`);
    const end = (isOpen) => {
      session.destroy();
      resolve(isOpen);
    };
    session.on('error', () => end(false));
    session.setTimeout(LIMIT_MS, () => end(false));
    const request = session.request({
      ':method': 'POST',
      ':path': '/temporal.api.workflowservice.v1.WorkflowService/GetSystemInfo',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    request.on('error', () => end(false));
    request.on('response', (headers) => {
      if (headers['grpc-status'] !== undefined) end(headers['grpc-status'] === '0');
    });
    request.on('trailers', (headers) => end(headers['grpc-status'] === '0'));
    request.on('close', () => end(false));
    request.resume();
    request.end(Buffer.alloc(5));
  });
}

async function givenAwayBy(port) {
  const found = [];
  for (const [scheme, module] of Object.entries({ http, https }))
    for (const path of PATHS) {
      const status = await readStatus(module, port, path);
      if (status >= 200 && status < 300) found.push(`${scheme} ${path}`);
    }
  for (const user of ['postgres', 'jobledger'])
    if (await hasOpenPostgres(port, user)) found.push(`Postgres as ${user}`);
  if (await hasOpenKafka(port)) found.push('Kafka');
  if (await hasOpenGrpc(port)) found.push('Temporal');
  return found;
}

async function tryAll(ports) {
  process.setgroups([]);
  process.setgid(NOBODY);
  process.setuid(NOBODY);
  const found = {};
  await Promise.all(
    ports.map(async (port) => {
      found[port] = await givenAwayBy(port);
    }),
  );
  process.send({ uid: process.getuid(), found }, () => process.exit());
}

process.once('message', (ports) => void tryAll(ports));
