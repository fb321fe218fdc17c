import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Link, useTitle } from '../app/router.tsx';
import { Icon } from './icons.tsx';

// What pages consist of: headings, cards, tables.

interface PageHeadProps {
  readonly title: string;
  /** The document's title, where the heading says less. */
  readonly documentTitle?: string;
  /** What is beside the heading. */
  readonly children?: ComponentChildren;
}

/** The heading of a page, which titles the document too. */
export function PageHead({ title, documentTitle = title, children }: PageHeadProps): JSX.Element {
  useTitle(documentTitle);
  return (
    <header class="page-head">
      <h1 tabindex={-1}>{title}</h1>
      {children}
    </header>
  );
}

/** A link to the page that this one is below. */
export function Crumb({ to, children }: { readonly to: string; readonly children: string }): JSX.Element {
  return (
    <p class="crumb">
      <Link to={to}>
        <Icon name="back" /> {children}
      </Link>
    </p>
  );
}

interface CardProps {
  readonly title: ComponentChildren;
  readonly class: string;
  /** What is beside the title. */
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A part of a page that is named by its title. */
export function Card({ title, class: className, beside, children }: CardProps): JSX.Element {
  const id = useId();
  return (
    <section class={`card ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
      </header>
      {children}
    </section>
  );
}

interface TableProps {
  /** The columns' names; with a class for one that differs. */
  readonly columns: readonly (string | readonly [name: string, className: string])[];
  readonly class?: string;
  readonly caption?: string;
  readonly foot?: ComponentChildren;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table with a heading for each column. */
export function Table({ columns, class: className, caption, foot, children }: TableProps): JSX.Element {
  return (
    <table class={className}>
      {caption !== undefined && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          {columns.map((column, index) => {
            const [name, ofColumn] = typeof column === 'string' ? [column] : column;
            return (
              <th key={index} scope="col" class={ofColumn}>
                {name}
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot}
    </table>
  );
}
