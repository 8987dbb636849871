import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../../services/adapters/config.ts';
import { sinkEnvironment, readSinkSettings, type JobSink } from '../../../services/projector/sink/config.ts';
import { EVERYTHING } from '../../../services/projector/sink/filter.ts';
import { toTarget } from '../../../services/projector/sink/target.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function readSinks(text: string, variables: NodeJS.ProcessEnv = {}): JobSink[] {
  const environment = { JOBLEDGER_SINKS: text, ...variables };
  return readSinkSettings(readConfig(sinkEnvironment, environment), environment);
}

function writeSecret(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'jobledger-sinks-')), 'secret');
  writeFileSync(file, text);
  return file;
}

describe('the setting JOBLEDGER_SINKS for several sinks', () => {
  it('requires only a name and a URL for a sink', () => {
    const [sink] = readSinks('sinks: [{name: all, url: "https://a.example/hook"}]');
    expect(sink).toMatchObject({
      name: 'all',
      types: ['ended'],
      filter: EVERYTHING,
      body: 'cloudevent',
      page: null,
    });
  });

  it('takes texts from variables and files, and a file is read again for each delivery', () => {
    const [token, secret] = [writeSecret('the-token\n'), writeSecret(`${SECRET}\n`)];
    const [sink] = readSinks(
      `
      page: https://jobs.example/ui/
      sinks:
        - name: payments
          url: {env: SLACK_URL}
          token: {file: ${token}}
          secret: {file: ${secret}}
          headers: {X-Scope: {env: SCOPE}, x-plain: text}
          events: [started, attempt-failed, ended]
          clusters: [east]
          namespaces: [shop]
          labels: {team: payments}
          outcomes: [Failed]
          body: slack`,
      { SLACK_URL: 'https://hooks.slack.com/services/T0/B0/key', SCOPE: 'tenant' },
    );
    expect(sink).toMatchObject({
      types: ['started', 'attempt-failed', 'ended'],
      filter: {
        clusters: ['east'],
        namespaces: ['shop'],
        labels: { team: 'payments' },
        outcomes: ['Failed'],
      },
      body: 'slack',
      page: 'https://jobs.example/ui/',
    });
    if (sink === undefined) throw new Error('there is no sink');
    const { to } = sink;
    expect(toTarget(to)).toEqual({
      url: 'https://hooks.slack.com/services/T0/B0/key',
      headers: { authorization: 'Bearer the-token', 'x-scope': 'tenant', 'x-plain': 'text' },
      secrets: [SECRET],
    });
    writeFileSync(token, 'the-next-token');
    expect(toTarget(to).headers).toMatchObject({ authorization: 'Bearer the-next-token' });
  });

  it('can be used beside JOBLEDGER_SINK_URL, whose sink has the name default', () => {
    const single = { JOBLEDGER_SINK_URL: 'https://a.example/hook' };
    const names = readSinks('sinks: [{name: b, url: "https://b.example"}]', single).map(({ name }) => name);
    expect(names).toEqual(['default', 'b']);
    expect(() => readSinks('sinks: [{name: default, url: "https://b.example"}]', single)).toThrow(
      'two sinks have the name default, but each needs positions of its own: rename one',
    );
  });

  it.each([
    ['no url', 'sinks: [{name: a}]', 'JOBLEDGER_SINKS: sinks.0.url: a text, {env: VARIABLE} or {file: PATH}'],
    [
      'a misspelt part',
      'sinks: [{name: a, url: "https://a.example", secrets: {env: A}}]',
      'sinks.0: Unrecognized key: "secrets"',
    ],
    [
      'a secret in the text itself',
      `sinks: [{name: a, url: "https://a.example", secret: ${SECRET}}]`,
      'sinks.0.secret: {env: VARIABLE} or {file: PATH}',
    ],
    [
      'an unknown event',
      'sinks: [{name: a, url: "https://a.example", events: [finished]}]',
      'sinks.0.events.0: Invalid option: expected one of "started"|"attempt-failed"|"ended"',
    ],
    [
      'a filter that nothing passes',
      'sinks: [{name: a, url: "https://a.example", namespaces: []}]',
      'sinks.0.namespaces: name at least one value, or omit the field to select all values',
    ],
    ['a text that is no YAML', 'sinks: [\n  {name: a, url: whsec_}]]', 'neither YAML nor JSON, at line 2'],
    [
      'a variable that is not set',
      'sinks: [{name: a, url: {env: NOT_SET}}]',
      'the sink a: url: the variable NOT_SET is not set',
    ],
    [
      'a file that does not exist',
      'sinks: [{name: a, url: "https://a.example", token: {file: /no/token}}]',
      'the sink a: token: the file /no/token cannot be read',
    ],
    [
      'a URL without TLS',
      'sinks: [{name: a, url: "http://a.example/"}]',
      'the sink a: url: without TLS it would receive secrets and messages in plain text: use https://, or set withoutTls: true where the network is trusted',
    ],
    [
      'a URL of another protocol',
      'sinks: [{name: a, url: "kafka://a.example/"}]',
      'the sink a: url: not an http:// or https:// URL',
    ],
  ])('is refused with %s, and the error names the place and the remedy', (_situation, text, problem) => {
    expect(() => readSinks(text)).toThrow(problem);
  });

  it.each([
    ['url', '{env: SECRET}'],
    ['secret', '{env: SECRET}'],
  ])('is refused with an invalid %s, which the error does not show', (part, given) => {
    const url = part === 'url' ? '' : 'url: "https://a.example", ';
    const refused = (): unknown =>
      readSinks(`sinks: [{name: a, ${url}${part}: ${given}}]`, { SECRET: 'hush-hush' });
    expect(refused).toThrow(`the sink a: ${part}: `);
    expect(refused).not.toThrow('hush-hush');
  });

  it('allows http:// with withoutTls, and one error names every invalid sink', () => {
    expect(readSinks('sinks: [{name: a, url: "http://a.example/", withoutTls: true}]')).toHaveLength(1);
    expect(() => readSinks('sinks: [{name: a, url: "a"}, {name: b, url: "b"}]')).toThrow(
      /the sink a: url: .*\n {2}the sink b: url: /,
    );
  });
});
