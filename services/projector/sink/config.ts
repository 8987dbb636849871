import { z } from 'zod';
import { parsedSetting } from '../../adapters/config.ts';
import { InputError, errorMessage } from '../../adapters/errors.ts';
import { parseYaml } from '../../adapters/kubernetes/yaml.ts';
import { isReadableByOthers } from '../../adapters/network/address.ts';
import { BODIES, type BodyKind } from './bodies/body.ts';
import { EVERYTHING, type MessageFilter } from './filter.ts';
import { MESSAGE_TYPES, type MessageType } from './message.ts';
import { toTarget, type HttpSink, type TextOrFile } from './target.ts';

/** A sink: an address that gets messages about Jobs. */
export interface JobSink {
  /** The name of the sink, under which its positions are stored. */
  name: string;
  to: HttpSink;
  types: readonly MessageType[];
  filter: MessageFilter;
  body: BodyKind;
  /** The address of the web page, for links; null without a page. */
  page: string | null;
}

const HTTP_URL = z.url({ protocol: /^https?$/, error: 'an http:// or https:// URL' });
const NAME = z.string().regex(/^[\w.-]{1,100}$/, 'letters, digits and ._-');

const FROM = 'a text, {env: VARIABLE} or {file: PATH}';
const TEXT = z.union(
  [
    z.string().min(1),
    z.strictObject({ env: z.string().min(1) }),
    z.strictObject({ file: z.string().min(1) }),
  ],
  { error: FROM },
);
const SECRET = z.union(TEXT.options.slice(1) as [(typeof TEXT.options)[1], (typeof TEXT.options)[2]], {
  error: '{env: VARIABLE} or {file: PATH}',
});
const chosen = z
  .array(z.string().min(1))
  .min(1, 'name at least one value, or omit the field to select all values')
  .nullable()
  .default(null);

const SINKS = z.strictObject({
  page: HTTP_URL.nullable().default(null),
  sinks: z
    .array(
      z.strictObject({
        name: NAME,
        url: TEXT,
        withoutTls: z.boolean().default(false),
        token: SECRET.nullable().default(null),
        headers: z
          .record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'not the name of a header'), TEXT)
          .default({}),
        secret: SECRET.nullable().default(null),
        events: z
          .array(z.enum(MESSAGE_TYPES))
          .min(1, `name at least one of ${MESSAGE_TYPES.join(', ')}`)
          .default(['ended']),
        clusters: chosen,
        namespaces: chosen,
        labels: z.record(z.string(), z.string()).default({}),
        outcomes: chosen,
        body: z.enum(BODIES).default('cloudevent'),
      }),
    )
    .default([]),
});

/** The configured sinks; empty by default. */
export const sinkEnvironment = z.object({
  JOBLEDGER_SINK_URL: HTTP_URL.optional(),
  JOBLEDGER_SINK_NAME: NAME.default('default'),
  JOBLEDGER_SINK_TOKEN_FILE: z.string().optional(),
  JOBLEDGER_SINK_WITHOUT_TLS: z.enum(['true', 'false']).default('false'),
  JOBLEDGER_SINKS: parsedSetting(parseSinks, ''),
});
type SinkConfig = z.infer<typeof sinkEnvironment>;

/**
 * The sinks of both settings, after a check that each sink can be used. `environment` has the variables that
 * JOBLEDGER_SINKS names. @throws InputError with a line for each unusable sink, and without the texts of the settings.
 */
export function readSinkSettings(config: SinkConfig, environment: NodeJS.ProcessEnv): JobSink[] {
  const { page, sinks } = config.JOBLEDGER_SINKS;
  const problems: string[] = [];
  const several = sinks.flatMap(({ name, body, events: types, ...rest }): JobSink[] => {
    const { clusters, namespaces, labels, outcomes, ...to } = rest;
    try {
      const sink = { name, body, page, types, to: resolveVariables(to, environment) };
      toTarget(sink.to);
      return [{ ...sink, filter: { clusters, namespaces, labels, outcomes } }];
    } catch (error) {
      problems.push(`the sink ${name}: ${errorMessage(error)}`);
      return [];
    }
  });
  const one = readSinkOfUrl(config);
  const all = one === null ? several : [one, ...several];
  const names = all.map(({ name }) => name);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) !== at)))
    problems.push(`two sinks have the name ${name}, but each needs positions of its own: rename one`);
  if (problems.length > 0) throw new InputError(`JOBLEDGER_SINKS is not usable:\n  ${problems.join('\n  ')}`);
  return all;
}

/** The sink of JOBLEDGER_SINK_URL. @throws InputError when deliveries could be read on the way. */
function readSinkOfUrl(config: SinkConfig): JobSink | null {
  const { JOBLEDGER_SINK_URL: url, JOBLEDGER_SINK_TOKEN_FILE: file } = config;
  if (url === undefined) return null;
  if (isReadableByOthers(url) && config.JOBLEDGER_SINK_WITHOUT_TLS !== 'true')
    throw new InputError(
      'JOBLEDGER_SINK_URL without TLS would receive its token and the ends of Jobs in plain text: use https://, or set JOBLEDGER_SINK_WITHOUT_TLS=true where the network is trusted',
    );
  const token = file === undefined ? null : { file };
  return {
    name: config.JOBLEDGER_SINK_NAME,
    to: { url, token, headers: {}, secret: null, withoutTls: true },
    types: ['ended'],
    filter: EVERYTHING,
    body: 'cloudevent',
    page: null,
  };
}

/** Parses the content of JOBLEDGER_SINKS. @throws InputError that names the error and its place. */
function parseSinks(text: string): z.infer<typeof SINKS> {
  const read = SINKS.safeParse(text.trim() === '' ? {} : parseContent(text));
  if (read.success) return read.data;
  throw new InputError(
    read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
  );
}

function parseContent(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    // The message of the parser quotes the text, which may contain secrets.
    const [{ line }] = (error as { linePos?: [{ line: number }] }).linePos ?? [{ line: 1 }];
    throw new InputError(`neither YAML nor JSON, at line ${line}`);
  }
}

type Text = z.infer<typeof TEXT>;
type GivenHttpSink = Omit<HttpSink, 'url' | 'token' | 'headers' | 'secret'> & {
  url: Text;
  token: Text | null;
  headers: Record<string, Text>;
  secret: Text | null;
};

/** Replaces the variables in the settings of a sink by their values. */
function resolveVariables(given: GivenHttpSink, environment: NodeJS.ProcessEnv): HttpSink {
  const { url, token, headers, secret } = given;
  const resolveText = (part: string, text: Text): TextOrFile => {
    if (typeof text === 'string' || 'file' in text) return text;
    const value = environment[text.env]?.trim() ?? '';
    if (value === '') throw new InputError(`${part}: the variable ${text.env} is not set`);
    return value;
  };
  return {
    ...given,
    url: resolveText('url', url),
    token: token === null ? null : resolveText('token', token),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, resolveText(`headers.${name}`, text)]),
    ),
    secret: secret === null ? null : resolveText('secret', secret),
  };
}
