// The elements of the platform that offers are made of, with the properties that are used here. Extensions have the full
// types from @shopify/ui-extensions; these are not published.
import type { ComponentChildren } from 'preact';

interface Common {
  key?: string | undefined;
  id?: string | undefined;
  children?: ComponentChildren;
}

interface Outside extends Common {
  href?: string | undefined;
  target?: '_blank';
  accessibilityLabel?: string | undefined;
  onClick?: (() => void) | undefined;
}

declare module 'preact' {
  namespace createElement.JSX {
    interface IntrinsicElements {
      's-badge': Common;
      's-button': Outside & { variant?: 'primary' | 'secondary'; command?: '--copy'; commandFor?: string };
      's-clipboard-item': Common & { text: string; onCopy?: () => void };
      's-details': Common;
      's-heading': Common;
      's-image': Common & {
        src: string;
        alt: string;
        inlineSize?: 'auto' | 'fill';
        aspectRatio?: string;
      };
      's-link': Outside;
      's-paragraph': Common & { color?: 'subdued'; type?: 'small' };
      's-section': Common & { heading?: string | undefined; accessibilityLabel?: string };
      's-stack': Common & {
        direction?: 'inline' | 'block';
        gap?: 'small' | 'base' | 'small-200';
        alignItems?: 'center';
        justifyContent?: 'space-between';
        border?: 'base';
        borderRadius?: 'base';
        padding?: 'base';
        accessibilityRole?: 'status' | 'section';
      };
      's-summary': Common;
      's-text': Common & { type?: 'strong' | 'small'; color?: 'subdued' };
    }
  }
}
