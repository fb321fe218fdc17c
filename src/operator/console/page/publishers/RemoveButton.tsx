import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Failure } from '../../protocol.ts';
import { call, failureOf } from '../app/call.ts';
import { go } from '../app/router.tsx';

/** Removes a publisher, after its name was typed. */
export function RemoveButton({ id, name }: { readonly id: string; readonly name: string }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const isRight = typed.trim() === name.trim();

  async function remove(): Promise<void> {
    if (!isRight || isBusy) return;
    setBusy(true);
    try {
      await call(`publishers/${encodeURIComponent(id)}`, { method: 'DELETE' });
      go(`publishers`);
    } catch (error) {
      setFailure(failureOf(error));
      setBusy(false);
    }
  }

  return (
    <>
      <button type="button" class="button danger" onClick={() => dialog.current?.showModal()}>
        Remove …
      </button>
      <dialog
        ref={dialog}
        aria-labelledby="remove-title"
        onClose={() => {
          setTyped('');
          setFailure(undefined);
        }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void remove();
          }}
        >
          <h2 id="remove-title">Remove {name} from the channel?</h2>
          <p>
            It no longer shows offers or earns through this channel. This can’t be undone here: it has to be added and
            approved again.
          </p>
          <label class="field">
            <span>
              Type <b>{name}</b> to confirm
            </span>
            <input autocomplete="off" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
          {failure && (
            <p class="problem" role="alert">
              {failure.message}
            </p>
          )}
          <p class="dialog-foot">
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Keep it
            </button>
            <button class="button danger" disabled={!isRight || isBusy}>
              {isBusy ? 'Removing …' : 'Remove'}
            </button>
          </p>
        </form>
      </dialog>
    </>
  );
}
