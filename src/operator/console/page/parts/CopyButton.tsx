import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icons.tsx';

/** A button that copies a text, and says that it did. */
export function CopyButton({ text, name }: { readonly text: string; readonly name: string }): JSX.Element {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  return (
    <button
      type="button"
      class="button small"
      aria-label={said || name}
      onClick={() =>
        void navigator.clipboard.writeText(text).then(
          () => setSaid('Copied'),
          () => setSaid('Press Ctrl-C'),
        )
      }
    >
      <Icon name={said === 'Copied' ? 'check' : 'copy'} />
      <span role="status">{said || 'Copy'}</span>
    </button>
  );
}
