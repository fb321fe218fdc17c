import type { Choices } from '../choices/choices.ts';
import { AR } from './ar.ts';
import { DE } from './de.ts';
import { EN, type Words } from './en.ts';
import { ES } from './es.ts';
import { FR } from './fr.ts';

/** The shop's texts in each language of the widget. */
export const WORDS: Readonly<Record<Choices['locale'], Words>> = { en: EN, de: DE, fr: FR, es: ES, ar: AR };
