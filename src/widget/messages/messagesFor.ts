import { own } from '../../wire/json.ts';
import { plainText } from '../../wire/plainText.ts';
import { LANGUAGES } from './languages.ts';
import { MESSAGE_KEYS, type Messages } from './messages.ts';

/** Graphemes of one message; a button must stay a button. */
const MESSAGE_MAX = 60;

/** The words of a locale (`de`, `de-AT`; English for what is not shipped), each replaced by the override that says something. */
export function messagesFor(locale: string, overrides?: Partial<Messages>): Messages {
  const language = own(LANGUAGES, locale.slice(0, 2).toLowerCase());
  const words = (typeof language === 'string' ? language : LANGUAGES.en).split('|');
  return Object.fromEntries(
    MESSAGE_KEYS.map((key, index) => [key, plainText(own(overrides, key), MESSAGE_MAX) ?? words[index]]),
  ) as unknown as Messages;
}
