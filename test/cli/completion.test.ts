import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { programWith } from '../../cli/main.ts';
import { jobNames } from '../../cli/verbs/completion/names.ts';
import { SCRIPTS, type Shell } from '../../cli/verbs/completion/scripts.ts';
import { completedVerbs } from '../../cli/verbs/completion/tree.ts';

/** What bash itself offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const script = SCRIPTS.bash(completedVerbs(await programWith('all')));
  const ask = `COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _jobledger; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['-c', `${script}\n${ask}`, 'bash', 'jobledger', ...words], {
    encoding: 'utf8',
    env: process.env,
  });
  return out.split('\n').filter((line) => line !== '');
}

describe('the completion of bash', () => {
  it('offers verbs, options, and the values of options with known values', async () => {
    expect(await offered('de')).toEqual(['describe']);
    expect(await offered('admin', 'de')).toEqual(['dead-letters', 'detach']);
    expect(await offered('admin', 'verify', '--pl')).toEqual(['--placements']);
    expect(await offered('run', 'in')).toEqual(['ingester']);
    expect(await offered('get', '-o', '')).toEqual(['wide', 'yaml', 'json', 'name']);
    expect(await offered('get', '-o', 'y')).toEqual(['yaml']);
    expect(await offered('get', '--all')).toEqual(['--all-namespaces']);
    expect(await offered('cron', 'n')).toEqual(['next']);
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish', '--help']);
    expect(await offered('get', '--token-file', 'package.js')).toEqual(['package.json']);
    expect(await offered('get', '-n', '')).toEqual([]);
  });
});

describe('the completion of names', () => {
  it('asks jobledger for Jobs, namespaces, clusters and contexts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobledger-names-'));
    const program = join(folder, 'jobledger');
    writeFileSync(program, '#!/bin/sh\n[ "$1" = __complete ] && printf "%s-1\\n%s-2\\n" "$2" "$2"\n', {
      mode: 0o755,
    });
    const inShell = async (...words: string[]) =>
      (await offered(...words)).filter((word) => !word.startsWith('-'));
    const path = process.env['PATH'];
    process.env['PATH'] = `${folder}:${path}`;
    try {
      expect(await inShell('describe', 'j')).toEqual(['jobs-1', 'jobs-2']);
      expect(await inShell('why', '')).toEqual(['jobs-1', 'jobs-2']);
      expect(await inShell('get', '-n', '')).toEqual(['namespaces-1', 'namespaces-2']);
      expect(await inShell('get', '--cluster', '')).toEqual(['clusters-1', 'clusters-2']);
      expect(await inShell('get', '--context', 'contexts-2')).toEqual(['contexts-2']);
      expect(await inShell('use', '')).toEqual(['contexts-1', 'contexts-2']);
      expect(await inShell('up', '--kube-context', '')).toEqual([]);
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('adds the namespace to a Job whose name exists in several places', () => {
    const job = (namespace: string, name: string) => ({ cluster: 'east', namespace, name });
    expect(jobNames([job('a', 'pi'), job('b', 'pi'), job('a', 'tau'), job('a', 'tau')])).toEqual([
      'east/a/pi',
      'east/b/pi',
      'tau',
    ]);
  });
});

/** A file with the completion of a shell. */
async function writeScript(shell: Shell): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'jobledger-completion-')), shell);
  writeFileSync(file, SCRIPTS[shell](completedVerbs(await programWith('all'))));
  return file;
}

const isInstalled = (shell: Shell): boolean => spawnSync(shell, ['--version']).status === 0;
const inZsh = isInstalled('zsh') ? describe : describe.skip;
const inFish = isInstalled('fish') ? describe : describe.skip;

inZsh(`completion in zsh${isInstalled('zsh') ? '' : ' (skipped: zsh is not installed)'}`, () => {
  it('the completion of zsh completes verbs, options, values and files', async () => {
    const lines = [
      'desc',
      'get -o y',
      'get --all',
      'cron n',
      'admin ret',
      'completion z',
      'get --token-file package.js',
      'get -n a',
    ];
    const script = join('test', 'support', 'complete-in.zsh');
    const options = { encoding: 'utf8', timeout: 30_000 } as const;
    const out = execFileSync('zsh', ['-f', script, await writeScript('zsh'), ...lines], options);
    expect(out.trimEnd().split('\n')).toEqual([
      'describe',
      'get -o yaml',
      'get --all-namespaces',
      'cron next',
      'admin retention',
      'completion zsh',
      'get --token-file package.json',
      'get -n a',
    ]);
  }, 60_000);
});

inFish(`completion in fish${isInstalled('fish') ? '' : ' (skipped: fish is not installed)'}`, () => {
  it('the completion of fish offers verbs, options, and the values of options with known values', async () => {
    const script = await writeScript('fish');
    const offers = (line: string): string[] => {
      const ask = 'source $argv[1]; complete -C "jobledger $argv[2]"';
      const out = execFileSync('fish', ['--no-config', '-c', ask, script, line], { encoding: 'utf8' });
      const words = out.split('\n').map((each) => each.split('\t')[0] ?? '');
      return words.filter((word) => word !== '');
    };
    expect(offers('de')).toEqual(['describe']);
    expect(offers('admin de')).toEqual(['dead-letters']);
    expect(offers('admin verify --pl')).toEqual(['--placements']);
    expect(offers('get -o ')).toEqual(['json', 'name', 'wide', 'yaml']);
    expect(offers('get -o y')).toEqual(['yaml']);
    expect(offers('get --all')).toEqual(['--all-namespaces']);
    expect(offers('cron n')).toEqual(['next']);
    expect(offers('completion ')).toEqual(['bash', 'fish', 'zsh']);
    expect(offers('get --token-file package.js')).toEqual(['package.json']);
    expect(offers('get -n ')).toEqual([]);
  }, 60_000);
});

describe('the completion script for fish', () => {
  it('has a line for each verb and option', async () => {
    const script = SCRIPTS.fish(completedVerbs(await programWith('all')));
    expect(script).toContain("complete -c jobledger -n __fish_use_subcommand -a get -d 'list Jobs");
    expect(script).toMatch(/-n '__fish_seen_subcommand_from get' -s o -l output -x -a 'wide yaml json name'/);
    expect(script).toMatch(/-n '__fish_seen_subcommand_from login' -l token-file -r -F /);
  });
});
