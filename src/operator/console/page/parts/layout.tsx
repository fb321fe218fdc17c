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

interface HeaderProps {
  readonly text: ComponentChildren;
  readonly class?: string | undefined;
  /** Whether the highest is first; undefined when something else sorts the rows. */
  readonly isDown?: boolean | undefined;
  readonly tabIndex?: number;
  /** Sorts by the column. */
  sort?(): void;
}

/** The head of a column; one that sorts is a button. */
export function Header({ text, class: className, isDown, tabIndex = 0, sort }: HeaderProps): JSX.Element {
  const direction = isDown === undefined ? 'none' : isDown ? 'descending' : 'ascending';
  return (
    <th scope="col" class={className} aria-sort={sort && direction}>
      {sort ? (
        <button type="button" tabIndex={tabIndex} onClick={sort}>
          {text}
          <span class="arrow" aria-hidden="true">
            {isDown === undefined ? '' : isDown ? '↓' : '↑'}
          </span>
        </button>
      ) : (
        text
      )}
    </th>
  );
}

interface TableProps {
  /** The columns; of most the name says it all. */
  readonly columns: readonly (string | HeaderProps)[];
  readonly class?: string;
  readonly caption?: string;
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A table with a heading for each column. */
export function Table({ columns, class: className, caption, children }: TableProps): JSX.Element {
  return (
    <table class={className}>
      {caption !== undefined && <caption class="hidden">{caption}</caption>}
      <thead>
        <tr>
          {columns.map((column, index) => (
            <Header key={index} {...(typeof column === 'string' ? { text: column } : column)} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
