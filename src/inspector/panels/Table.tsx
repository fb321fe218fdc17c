import type { ComponentChildren, JSX } from 'preact';

/** A table with a heading for each column. */
export function Table(props: {
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <table>
      <thead>
        <tr>
          {props.columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}
