import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { toolPath } from '../../../../infra/local/tools/cache.ts';
import { KAFKA_VERSION } from '../../../../infra/local/tools/catalog.ts';
import { checksumIn } from '../../../../infra/local/tools/fetch-file.ts';
import { tryLock } from '../../../../infra/local/processes/lock.ts';
import { findAll } from '../../../../infra/local/tools/find-all.ts';
import { wantedKafka } from '../../../../infra/local/tools/find-kafka.ts';
import { wantedTool } from '../../../../infra/local/tools/find-tool.ts';
import {
  toPlatform,
  publishedKafka,
  publishedTool,
  type PublishedFile,
} from '../../../../infra/local/tools/publishers.ts';
import { eventually } from '../../../support/eventually.ts';
import { seededRandom } from '../../../support/random.ts';

jest.setTimeout(60_000);

/** How the publishers' server answers for a file. */
type Manner =
  | 'whole'
  | 'cut'
  | 'slow'
  | 'silent'
  | 'missing'
  | 'broken'
  | 'wrong'
  /** It loses the first connection. */
  | 'lossy'
  /** It cuts the first answer, and sends other bytes for a range. */
  | 'mixed';

const before = { ...process.env };
let folder: string;
let server: Server;
let manner: Manner;
/** By path, the bytes that the server has. */
let files: Map<string, Buffer>;
/** The paths that were asked for, with the first byte. */
let asked: string[];
let lines: string[];
let authorizations: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-fetch-'));
  manner = 'whole';
  files = new Map();
  asked = [];
  lines = [];
  authorizations = [];
  server = createServer(serve);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  process.env['XDG_CACHE_HOME'] = folder;
  process.env['JOBLEDGER_TOOLS_MIRROR'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  delete process.env['JOBLEDGER_TOOLS'];
  delete process.env['JAVA_HOME'];
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy'])
    for (const each of [name, name.toUpperCase()]) delete process.env[each];
  // Neither go, mvn nor a server is on it.
  process.env['PATH'] = programs('tar', 'gzip');
});

afterEach(() => {
  process.env = { ...before };
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

function serve({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
  asked.push(from === 0 ? url : `${url} from ${from}`);
  const isChecksum = /sha|checksums/i.test(url);
  const bytes = files.get(url);
  authorizations.push(headers.authorization ?? '');
  if (manner === 'silent') return;
  if (manner === 'lossy' && asked.length === 1) return void response.destroy();
  if (bytes === undefined || (manner === 'missing' && !isChecksum)) return void response.writeHead(404).end();
  if (manner === 'broken' && !isChecksum) return void response.writeHead(503).end();
  const isWrong = !isChecksum && (manner === 'wrong' || (manner === 'mixed' && from > 0));
  const body = isWrong ? Buffer.from(bytes.map((byte) => byte ^ 1)) : bytes;
  response.writeHead(from === 0 ? 200 : 206, { 'content-length': body.length - from });
  const isCut = manner === 'cut' || (manner === 'mixed' && asked.filter((each) => each === url).length === 1);
  if (isChecksum || (!isCut && manner !== 'slow')) return void response.end(body.subarray(from));
  const end = Math.min(body.length, from + Math.ceil(body.length / 3));
  if (end === body.length) return void response.end(body.subarray(from));
  response.write(body.subarray(from, end));
  if (isCut) return void cutAfter(end, response);
  setTimeout(() => response.end(body.subarray(end)), 200);
}

/** Ends the connection once the client has stored `size` bytes. */
async function cutAfter(size: number, response: ServerResponse): Promise<void> {
  const stored = (): number =>
    Math.max(0, ...cached().map((name) => statSync(join(dirname(kubectl().target), name)).size));
  await eventually('the part is stored', 20, () => Promise.resolve(stored() >= size ? true : undefined));
  response.destroy();
}

/** A PATH with these programs of the machine only. */
function programs(...names: string[]): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of names) {
    const file = (before['PATH'] ?? '')
      .split(delimiter)
      .map((each) => join(each, name))
      .find((each) => existsSync(each));
    if (file === undefined) throw new Error(`${name} is not on PATH`);
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${file} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

function publishes(file: PublishedFile | undefined, bytes: Buffer, checksums: (hex: string) => string): void {
  if (file === undefined) throw new Error('it is published');
  const place = (url: string): string => {
    const { host, pathname, search } = new URL(url);
    return `/${host}${pathname}${search}`;
  };
  const hex = createHash(file.algorithm).update(bytes).digest('hex');
  files.set(place(file.url), bytes);
  files.set(place(file.checksumUrl), Buffer.from(checksums(hex)));
}

/** A program of 300 kB that prints its name. */
function program(name: string): Buffer {
  const random = seededRandom(7);
  const noise = Array.from({ length: 300_000 }, () => (random() * 10).toString()[0]).join('');
  return Buffer.from(`#!/bin/sh\necho ${name}\nexit\n${noise}\n`);
}

function archive(member: string, bytes: Buffer): Buffer {
  const at = mkdtempSync(join(folder, 'archive-'));
  mkdirSync(join(at, dirname(member)), { recursive: true });
  writeFileSync(join(at, member), bytes, { mode: 0o755 });
  const PATH = before['PATH'] ?? '';
  return execFileSync('tar', ['-cz', '-C', at, '.', '--transform', 's,^\\./,,'], {
    env: { PATH },
    maxBuffer: 2 ** 26,
  });
}

const kubectl = () => wantedTool('kubectl');
const etcd = () => wantedTool('etcd');

function publishKubectl(): Buffer {
  const bytes = program('kubectl');
  publishes(kubectl().published, bytes, (hex) => hex);
  return bytes;
}

function publishEtcd(): void {
  const { published } = etcd();
  const bytes = archive(published?.member ?? '', program('etcd'));
  const name = published?.url.split('/').at(-1) ?? '';
  publishes(published, bytes, (hex) => `${'0'.repeat(64)}  other.tar.gz\n${hex}  ${name}\n`);
}

/** As the Apache Software Foundation writes it. */
function publishKafka(): void {
  const published = publishedKafka(KAFKA_VERSION);
  const bytes = archive(`${published.member}/kafka_2.13-${KAFKA_VERSION}.jar`, program('kafka'));
  const grouped = (hex: string): string => (hex.toUpperCase().match(/.{8}/g) ?? []).join(' ');
  publishes(
    published,
    bytes,
    (hex) => `kafka_2.13-${KAFKA_VERSION}.tgz: ${grouped(hex).slice(0, 71)}\n  ${grouped(hex).slice(71)}\n`,
  );
}

const around = { report: (line: string) => void lines.push(line), signal: new AbortController().signal };

/** What is in the cache of tools, hidden files too. */
function cached(): string[] {
  const tools = dirname(toolPath('any', '1'));
  return existsSync(tools) ? readdirSync(tools).filter((name) => !name.endsWith('.lock')) : [];
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('servers that their projects publish', () => {
  it('the published servers are downloaded at the same time, checked, unpacked, and run without Go or Maven', async () => {
    process.env['PATH'] = programs('tar', 'gzip', 'java');
    publishKubectl();
    publishEtcd();
    publishKafka();
    const [one = '', two = '', jars = ''] = await findAll([kubectl(), etcd(), wantedKafka()], around);
    expect([run(one), run(two)]).toEqual(['kubectl', 'etcd']);
    expect(readdirSync(jars)).toEqual([`kafka_2.13-${KAFKA_VERSION}.jar`]);
    const wanted = [kubectl(), etcd(), wantedKafka()];
    expect(new Set(cached())).toEqual(new Set(wanted.map(({ name, version }) => `${name}-${version}`)));
    expect(lines.filter((line) => line.startsWith('fetching kubectl'))).toHaveLength(1);
    asked.length = 0;
    await findAll([kubectl(), etcd(), wantedKafka()], around);
    expect(asked).toEqual([]);
  });

  it('interrupted downloads of servers continue at the byte where they stopped, in one run and in the next', async () => {
    const bytes = publishKubectl();
    manner = 'cut';
    const [file = ''] = await findAll([kubectl()], around);
    expect(run(file)).toBe('kubectl');
    const [, ...parts] = asked.filter((each) => !each.includes('sha256'));
    expect(parts.map((each) => Number(each.split(' from ')[1]))).toEqual([
      Math.ceil(bytes.length / 3),
      2 * Math.ceil(bytes.length / 3),
    ]);
    rmSync(file);
    const checksum = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    writeFileSync(
      join(dirname(file), `.part-kubectl-${kubectl().version}-${checksum}`),
      bytes.subarray(0, 1000),
    );
    asked.length = 0;
    manner = 'slow';
    await findAll([kubectl()], around);
    expect(asked.at(-1)).toMatch(/ from 1000$/);
    expect(run(file)).toBe('kubectl');
  });

  it('downloaded servers are deleted when the checksum of a file is wrong, also when only the resumed part was wrong', async () => {
    const bytes = publishKubectl();
    const part = join(
      dirname(kubectl().target),
      `.part-kubectl-${kubectl().version}-${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`,
    );
    mkdirSync(dirname(part), { recursive: true });
    writeFileSync(part, 'not the first bytes of it');
    await findAll([kubectl()], around);
    expect(run(kubectl().target)).toBe('kubectl');
    rmSync(kubectl().target);
    manner = 'wrong';
    process.env['JOBLEDGER_TOOLS'] = 'fetch';
    await expect(findAll([kubectl()], around)).rejects.toThrow(
      /has the sha256 \w{64}; its publisher says \w{64}. It was deleted/,
    );
    expect(cached()).toEqual([]);
  });

  it('servers are downloaded again when the parts of a file do not fit together', async () => {
    publishKubectl();
    manner = 'mixed';
    await findAll([kubectl()], around);
    expect(run(kubectl().target)).toBe('kubectl');
    const bytesFrom = asked
      .filter((each) => !each.includes('sha256'))
      .map((each) => each.split(' from ')[1] ?? '0');
    expect([bytesFrom[0], bytesFrom.at(-1)]).toEqual(['0', '0']);
    expect(bytesFrom.slice(1, -1)).not.toContain('0');
    expect(bytesFrom.length).toBeGreaterThan(2);
  });

  it('servers are downloaded although one request for a checksum loses its connection', async () => {
    publishKubectl();
    manner = 'lossy';
    await findAll([kubectl()], around);
    expect(run(kubectl().target)).toBe('kubectl');
    expect(lines.filter((line) => line.includes('from source'))).toEqual([]);
  });

  it('servers are downloaded from a mirror with a user name and a password', async () => {
    publishKubectl();
    process.env['JOBLEDGER_TOOLS_MIRROR'] = (process.env['JOBLEDGER_TOOLS_MIRROR'] ?? '').replace(
      '://',
      '://bob:p%40ss@',
    );
    await findAll([kubectl()], around);
    const basic = `Basic ${Buffer.from('bob:p@ss').toString('base64')}`;
    expect(new Set(authorizations)).toEqual(new Set([basic]));
    process.env['JOBLEDGER_TOOLS_MIRROR'] = 'https://mirror.example.com/?token=1';
    await expect(findAll([etcd()], around)).rejects.toThrow(
      'JOBLEDGER_TOOLS_MIRROR is not a URL, or has a query',
    );
  });

  it('servers are refused when the password of the mirror has a bare percent sign, and the error omits the password', async () => {
    publishKubectl();
    const mirror = process.env['JOBLEDGER_TOOLS_MIRROR'] ?? '';
    process.env['JOBLEDGER_TOOLS_MIRROR'] = mirror.replace('://', '://bob:s3cret%@');
    await expect(findAll([kubectl()], around)).rejects.toThrow(
      /^the name or the password in JOBLEDGER_TOOLS_MIRROR has a % that begins no character: write a percent sign as %25$/,
    );
    expect(asked).toEqual([]);
  });

  it('servers leave no part of an interrupted download of any version, except for a download of another process', async () => {
    publishKubectl();
    const part = (of: string): string => `.part-${of}-${'a'.repeat(12)}`;
    const own = `kubectl-${kubectl().version}`;
    mkdirSync(dirname(kubectl().target), { recursive: true });
    for (const each of [own, 'kubectl-1.2.3', 'kubectl-1.2.4-alpha.1', 'kubectl-convert-1.2.3'])
      writeFileSync(join(dirname(kubectl().target), part(each)), 'some bytes');
    const other = tryLock(`${toolPath('kubectl', '1.2.3')}.lock`, 'getting kubectl-1.2.3');
    await findAll([kubectl()], around);
    expect(new Set(cached())).toEqual(new Set([own, part('kubectl-1.2.3'), part('kubectl-convert-1.2.3')]));
    if ('release' in other) other.release();
    rmSync(kubectl().target);
    await findAll([kubectl()], around);
    expect(new Set(cached())).toEqual(new Set([own, part('kubectl-convert-1.2.3')]));
  });

  it('a server is built by Go only when the version of Go is new enough', async () => {
    process.env['JOBLEDGER_TOOLS'] = 'build';
    process.env['PATH'] = `${process.env['PATH']}${delimiter}${fakeGo('1.25.9')}`;
    await expect(findAll([kubectl()], around)).rejects.toThrow('missing: Go 1.26 or later');
  });

  it('downloaded servers are unpacked by tar, and the error names tar when it is missing', async () => {
    publishEtcd();
    rmSync(join(folder, 'bin', 'tar'));
    await expect(findAll([etcd()], around)).rejects.toThrow(/^missing: tar, for etcd/);
    expect(asked.filter((each) => !each.includes('SHA256SUMS'))).toEqual([]);
  });

  it.each([
    ['missing', /kubectl .* could not be fetched, so it is built: .*HTTP status 404/],
    ['broken', /kubectl .* could not be fetched, so it is built: .*HTTP status 503/],
  ] as const)(
    'servers that are %s are built, or refused when JOBLEDGER_TOOLS is fetch',
    async (how, output) => {
      publishKubectl();
      manner = how;
      await expect(findAll([kubectl()], around)).rejects.toThrow(
        /^missing: Go 1.26 or later, for kubectl .*: https:\/\/go.dev\/dl, dnf install golang \(Fedora\), brew install go \(macOS\)/,
      );
      expect(lines).toContainEqual(expect.stringMatching(output));
      process.env['JOBLEDGER_TOOLS'] = 'fetch';
      await expect(findAll([kubectl()], around)).rejects.toThrow('HTTP status');
      expect(cached().filter((name) => !name.startsWith('.part-'))).toEqual([]);
    },
  );

  it.each(['refused', 'silent'] as const)(
    'servers are built, with a line about the build within seconds, when the server of a publisher is %s',
    async (how) => {
      manner = 'silent';
      if (how === 'refused') await new Promise((resolve) => void server.close(resolve));
      process.env['PATH'] = `${process.env['PATH']}${delimiter}${fakeGo()}`;
      const begun = Date.now();
      const names = ['kube-apiserver', 'kubectl'] as const;
      await findAll(
        names.map((name) => wantedTool(name)),
        around,
      );
      expect(Date.now() - begun).toBeLessThan(20_000);
      const why = lines.filter((line) => line.includes('cannot be downloaded'));
      expect(why).toEqual([
        expect.stringMatching(
          /^building kube-apiserver, kubectl from source, because the published files cannot be downloaded \(127\.0\.0\.1:\d+ \(JOBLEDGER_TOOLS_MIRROR\): (no answer within 3 s|(Error: )?connect ECONNREFUSED [^:]+:\d+)\): check JOBLEDGER_TOOLS_MIRROR$/,
        ),
      ]);
      expect(names.map((name) => existsSync(wantedTool(name).target))).toEqual([true, true]);
      process.env['JOBLEDGER_TOOLS'] = 'fetch';
      await expect(findAll([etcd()], around)).rejects.toThrow(
        'JOBLEDGER_TOOLS is fetch; if you unset it, servers that cannot be downloaded are built',
      );
    },
  );

  it('servers are not requested when JOBLEDGER_TOOLS is build, and one error names all missing programs', async () => {
    publishKubectl();
    process.env['JOBLEDGER_TOOLS'] = 'build';
    const both = findAll([kubectl(), wantedKafka()], around);
    await expect(both).rejects.toThrow(
      /^missing:\n {2}- Java 17 or later, for kafka [^:]+: [^\n]+\n {2}- Go 1.26 or later, for kubectl [^\n]+\n {2}- Apache Maven 3.6 or later, for kafka [^\n]+$/,
    );
    expect(asked).toEqual([]);
  });

  it('servers are downloaded without printing more than the host of a mirror', async () => {
    const { port } = server.address() as AddressInfo;
    process.env['JOBLEDGER_TOOLS'] = 'fetch';
    const errors: unknown[] = [];
    const refusedBy = async (mirror: string): Promise<void> => {
      process.env['JOBLEDGER_TOOLS_MIRROR'] = mirror;
      errors.push(await findAll([kubectl()], around).catch(String));
    };
    const mirror = `http://bob:S3CRET@127.0.0.1:${port}/S3CRET`;
    await refusedBy(mirror);
    await refusedBy('S3CRET');
    const { published } = kubectl();
    const at = (url = ''): string => `/S3CRET/${new URL(url).host}${new URL(url).pathname}`;
    files.set(at(published?.checksumUrl), Buffer.from('0'.repeat(64)));
    await refusedBy(mirror);
    files.set(at(published?.url), program('kubectl'));
    await refusedBy(mirror);
    expect(errors).toEqual([
      expect.stringContaining('HTTP status 404 for kubectl.sha256'),
      expect.stringContaining('JOBLEDGER_TOOLS_MIRROR is not a URL'),
      expect.stringContaining('HTTP status 404 for kubectl'),
      expect.stringMatching(/kubectl of 127\.0\.0\.1:\d+ \(JOBLEDGER_TOOLS_MIRROR\) has the sha256/),
    ]);
    expect([...errors, ...lines].join()).not.toContain('S3CRET');
  });

  it.each([
    [{}, /\(JOBLEDGER_TOOLS_MIRROR\): .*: check JOBLEDGER_TOOLS_MIRROR\./],
    [
      { HTTPS_PROXY: 'localhost:3128' },
      /^HTTPS_PROXY is not the URL of a proxy; set it to a URL such as http:\/\/proxy\.example\.com:3128$/m,
    ],
    [
      { JOBLEDGER_TOOLS_MIRROR: '', https_proxy: 'http://127.0.0.1:9' },
      /^dl\.k8s\.io \(https_proxy\): .*: check https_proxy\./,
    ],
    [
      { JOBLEDGER_TOOLS_MIRROR: 'https://mirror.invalid', HTTPS_PROXY: 'http://127.0.0.1:9' },
      /^mirror\.invalid \(JOBLEDGER_TOOLS_MIRROR, HTTPS_PROXY\): .*: check JOBLEDGER_TOOLS_MIRROR and HTTPS_PROXY\./,
    ],
  ])(
    'servers are named with the causes when they cannot be downloaded or built: %j',
    async (variables, message) => {
      Object.assign(process.env, { JOBLEDGER_TOOLS: 'fetch', ...variables });
      const script = `const { findTool } = await import(${JSON.stringify(join(process.cwd(), 'infra/local/tools/find-tool.ts'))});
      await findTool('kubectl', { report: () => undefined, signal: new AbortController().signal }).catch(({ message }) => console.log(message));`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
      expect(stdout).toMatch(message);
    },
  );

  it('servers leave no build running when the search is interrupted', async () => {
    process.env['JOBLEDGER_TOOLS'] = 'build';
    process.env['PATH'] = `${process.env['PATH']}${delimiter}${fakeGo()}`;
    const interrupt = new AbortController();
    const found = findAll([kubectl(), etcd()], { report: around.report, signal: interrupt.signal });
    interrupt.abort();
    await expect(found).rejects.toThrow('aborted');
    expect([kubectl(), etcd()].map(({ target }) => existsSync(target))).toEqual([false, false]);
  });

  it('servers are downloaded through the proxy that HTTP_PROXY names', async () => {
    publishKubectl();
    const through: string[] = [];
    const proxy = createServer((question, response) => {
      const { host, port: toPort, pathname } = new URL(question.url ?? '');
      through.push(host);
      const to = { host: '127.0.0.1', port: toPort, path: pathname };
      httpRequest(to, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }).end();
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const script = `const { findTool } = await import(${JSON.stringify(join(process.cwd(), 'infra/local/tools/find-tool.ts'))});
      await findTool('kubectl', { report: () => undefined, signal: new AbortController().signal });`;
    const env = {
      ...process.env,
      JOBLEDGER_TOOLS: 'fetch',
      JOBLEDGER_TOOLS_MIRROR: `http://mirror.invalid:${port}`,
      HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    };
    try {
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
    } finally {
      proxy.close();
    }
    expect(run(kubectl().target)).toBe('kubectl');
    expect(through).toContain(`mirror.invalid:${port}`);
  });
});

/** A Go that writes an empty program. */
function fakeGo(version = '1.26.0'): string {
  const bin = mkdtempSync(join(folder, 'go-'));
  const mod = join(bin, 'go.mod');
  writeFileSync(mod, 'module any\n\ngo 1.26\n');
  writeFileSync(
    join(bin, 'go'),
    `#!/bin/sh
case "$1" in
  version) echo 'go version go${version} linux/amd64' ;;
  mod) echo '{"GoMod":"${mod}","Dir":"${bin}"}' ;;
  build) while [ "$1" != -o ]; do shift; done; : > "$2" ;;
esac
`,
    { mode: 0o755 },
  );
  return bin;
}

function run(file: string): string {
  expect(statSync(file).mode & 0o111).not.toBe(0);
  return execFileSync(file, { encoding: 'utf8', env: { PATH: before['PATH'] ?? '' } }).trim();
}

describe('the download addresses of publishers', () => {
  it.each(['linux', 'darwin'] as const)('exist for the server %s, on both processors', (os) => {
    const urls = (['amd64', 'arm64'] as const).flatMap((arch) =>
      (['kube-apiserver', 'kubectl', 'etcd', 'temporal', 'helm', 'temporal-server'] as const).map(
        (name) => publishedTool({ name, version: '1.2.3' }, { os, arch })?.url ?? `none of ${name}`,
      ),
    );
    expect(urls).toMatchSnapshot();
  });

  it('are unknown for other systems', () => {
    expect([toPlatform('linux', 'x64'), toPlatform('darwin', 'arm64')]).toEqual([
      { os: 'linux', arch: 'amd64' },
      { os: 'darwin', arch: 'arm64' },
    ]);
    expect([toPlatform('win32', 'x64'), toPlatform('linux', 'riscv64')]).toEqual([undefined, undefined]);
  });
});

describe('a checksum in a published text', () => {
  const url = 'https://example.com/a/file.tar.gz?action=download';
  const hex = 'ab'.repeat(32);

  it.each([
    ['alone', `${hex}\n`],
    ['in upper case', hex.toUpperCase()],
    ['in a line with the name', `${'0'.repeat(64)}  other.tar.gz\n${hex}  file.tar.gz\n`],
    ['marked as binary', `${hex} *file.tar.gz\n`],
    [
      'after the name, in groups',
      `file.tar.gz: ${hex.slice(0, 30)} ${hex.slice(30, 40)}\n  ${hex.slice(40)}\n`,
    ],
  ])('is found when it is %s', (_how, text) => {
    expect(checksumIn(text, { url, algorithm: 'sha256' })).toBe(hex);
  });

  it.each(['', 'not found', `${hex}  other.tar.gz`, hex.slice(1), `<html>${hex}</html>`])(
    'is not found in the text %j',
    (text) => {
      expect(checksumIn(text, { url, algorithm: 'sha256' })).toBeUndefined();
    },
  );
});
