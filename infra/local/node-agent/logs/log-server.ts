import { readFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { TLSSocket } from 'node:tls';
import { pipeline } from 'node:stream/promises';
import { InputError, errorMessage } from '../../../../services/adapters/errors.ts';
import type { Log } from '../../../../services/adapters/process/log.ts';
import type { ContainerAttempt } from '../pod/pod-record.ts';
import type { Pods } from '../workers/pods.ts';
import type { AttemptFiles } from '../process/attempt-directory.ts';
import type { Memory } from '../process/memory.ts';
import { certificateHolder, type MayReadLogs } from './client-rights.ts';
import { parseLogRequest, type LogRequest } from './log-request.ts';
import { findLogSource } from './log-source.ts';
import { byteSince, readLogTimes, fileSize, timeOfByte } from './log-times.ts';
import { firstBytes, readLog, startOfTail, stampLines, withFile } from './read-log.ts';

export interface LogServerDependencies {
  address: string;
  port: number;
  /** Paths of the server's certificate and key, and of the CA whose client certificates are accepted. */
  tls: { cert: string; key: string; clientCa: string };
  pods: Pick<Pods, 'find'>;
  memory: Pick<Memory, 'attempt'>;
  mayRead: MayReadLogs;
  log: Log;
}

/**
 * Starts the node's endpoint for the API server: container logs and `/healthz`. Rejects clients without a certificate
 * of the given CA, and refuses logs to clients without rights. Resolves once it listens.
 * @throws InputError when it cannot listen or a TLS file cannot be read.
 */
export async function startLogServer(
  given: LogServerDependencies,
): Promise<{ port: number; close: () => void }> {
  const closing = new AbortController();
  const server = https.createServer(
    { ...readTls(given.tls), requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      void answerRequest(request, response, given, closing.signal).catch((error: unknown) => {
        given.log.warn({ error: errorMessage(error) }, 'a log request failed');
        response.destroy();
      });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new InputError(`the log endpoint cannot listen on ${given.address}:${given.port}`, { cause }));
    });
    server.listen(given.port, given.address, resolve);
  });
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : given.port,
    close() {
      closing.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

function readTls(files: LogServerDependencies['tls']): { cert: Buffer; key: Buffer; ca: Buffer } {
  return { cert: readTlsFile(files.cert), key: readTlsFile(files.key), ca: readTlsFile(files.clientCa) };
}

function readTlsFile(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new InputError(`cannot read ${file}, a TLS file of the log endpoint`, { cause });
  }
}

async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  given: LogServerDependencies,
  closing: AbortSignal,
): Promise<void> {
  const url = request.url ?? '/';
  if (url === '/healthz') return sendText(response, 200, 'ok');
  const logRequest = parseLogRequest(url, Date.now());
  if (logRequest === undefined || request.method !== 'GET') {
    return sendText(response, 404, 'this node serves container logs only: no exec, attach or port-forward\n');
  }
  const holder = certificateHolder((request.socket as TLSSocket).getPeerCertificate());
  if (!(await given.mayRead(holder)))
    return sendText(response, 403, `"${holder.name}" may not read the logs of this node\n`);
  const source = findLogSource(logRequest, given.pods.find(logRequest.namespace, logRequest.pod));
  if ('status' in source) return sendText(response, source.status, source.message);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const signal = AbortSignal.any([closing, gone.signal]);
  const files = given.memory.attempt(source.uid, logRequest.container, source.attempt.number);
  return sendLog(response, logRequest, source.attempt, files, signal);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}

async function sendLog(
  response: ServerResponse,
  logRequest: LogRequest,
  attempt: ContainerAttempt,
  files: AttemptFiles,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.flushHeaders();
  // A container that never started has no log.
  if (fileSize(files.log) === 0 && attempt.end !== undefined) {
    response.end();
    return;
  }
  await withFile(files.log, async (file) => {
    const offset = await firstByteOffset(file, logRequest, attempt, files);
    const hasEnded = (): boolean => attempt.end !== undefined;
    const read = readLog(file, { offset, follow: logRequest.follow, isOver: hasEnded, signal });
    const currentLogTimes = (): ReturnType<typeof readLogTimes> =>
      readLogTimes(files, attempt.end?.finishedAt);
    const timestampAt = (at: number): string =>
      new Date(timeOfByte(currentLogTimes(), at, Date.now())).toISOString();
    const lines = logRequest.timestamps ? stampLines(read, offset, timestampAt) : read;
    await pipeline(
      logRequest.limitBytes === undefined ? lines : firstBytes(lines, logRequest.limitBytes),
      response,
    );
  });
}

async function firstByteOffset(
  file: FileHandle,
  logRequest: LogRequest,
  attempt: ContainerAttempt,
  files: AttemptFiles,
): Promise<number> {
  const { size } = await file.stat();
  const tail = logRequest.tailLines === undefined ? 0 : await startOfTail(file, size, logRequest.tailLines);
  if (logRequest.since === undefined) return tail;
  return Math.max(tail, byteSince(readLogTimes(files, attempt.end?.finishedAt), logRequest.since, size));
}
