import type { ReactElement } from 'react';

/** The head of a table: a cell for each column; an empty text for a column of row headers. */
export function TableHead({ columns }: { columns: readonly string[] }): ReactElement {
  return (
    <thead>
      <tr>
        {columns.map((column) =>
          column === '' ? (
            <td key={column} />
          ) : (
            <th key={column} scope="col">
              {column}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}
