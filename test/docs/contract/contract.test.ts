import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { CONTRACT_FILE, contractText } from './contract.ts';
import { metricEntries } from './metric-entries.ts';
import { settingEntries } from './setting-entries.ts';

const source = (text: string) => ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
