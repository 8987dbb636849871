/** The parts of a dashboard's JSON that contain queries. */
export interface Dashboard {
  uid: string;
  templating: {
    list: {
      name: string;
      type: 'query' | 'datasource';
      /** SQL, or the type of a data source. */
      query: string;
      multi: boolean;
      datasource?: { uid: string };
      current?: { value: string | string[] };
    }[];
  };
  panels: {
    id: number;
    title: string;
    description: string;
    type: string;
    gridPos: { x: number; y: number; w: number; h: number };
    datasource: { type: string; uid: string };
    fieldConfig: {
      overrides: {
        matcher: { options: string };
        properties: { id: string; value: { title: string; url: string }[] }[];
      }[];
    };
    targets: {
      datasource: { uid: string };
      rawSql?: string;
      expr?: string;
      format?: string;
      legendFormat?: string;
    }[];
  }[];
}

export interface Period {
  from: Date;
  to: Date;
  /** The value of `$__interval`. */
  intervalSeconds: number;
}

/**
 * A statement as Grafana sends it: macros expanded, and variables replaced by their values (several values as a list of
 * texts).
 */
export function grafanaStatement(
  statement: string,
  { from, to, intervalSeconds: seconds }: Period,
  variables: Readonly<Record<string, string | readonly string[]>>,
): string {
  const [begin, end] = [from, to].map((at) => `'${at.toISOString()}'`);
  const chosen = statement.replaceAll(/\$([a-z]\w*)/g, (whole, name: string) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`the dashboard has no variable ${whole}`);
    return typeof value === 'string' ? value.replaceAll("'", "''") : value.map(quoted).join(',');
  });
  const sent = chosen
    .replaceAll(
      /\$__timeFilter\(([^)]*)\)/g,
      (_macro, column: string) => `${column} between ${begin} and ${end}`,
    )
    .replaceAll(
      /\$__timeGroupAlias\(([^,]*), \$__interval\)/g,
      (_macro, column: string) => `floor(extract(epoch from ${column})/${seconds})*${seconds} as "time"`,
    );
  if (sent.includes('$__')) throw new Error(`a macro that is not known: ${sent}`);
  return sent;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
