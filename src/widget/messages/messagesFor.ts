import { own } from '../../wire/json.ts';
import { plainText } from '../../wire/plainText.ts';
import { LANGUAGES } from './languages.ts';
import { MESSAGE_KEYS, type MessageOverrides, type Messages } from './messages.ts';

/** Maximum length of an override in graphemes: labels must fit on buttons. */
const MESSAGE_MAX = 60;

/** Returns the texts for a locale (`de`, `de-AT`; English by default). Overrides that are not empty take precedence. */
export function messagesFor(locale: string, overrides?: MessageOverrides): Messages {
  const language = own(LANGUAGES, locale.slice(0, 2).toLowerCase());
  const texts = (typeof language === 'string' ? language : LANGUAGES.en).split('|');
  return Object.fromEntries(
    MESSAGE_KEYS.map((key, index) => [key, plainText(own(overrides, key), MESSAGE_MAX) ?? texts[index]]),
  ) as unknown as Messages;
}
