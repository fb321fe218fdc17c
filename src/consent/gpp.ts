import type { ConsentSource } from '../session/consent.ts';
import { listenerSource, type Listen } from './listenerSource.ts';

/** A section of a US state or of the national approach, decoded. Its segments may be listed. */
type Section = Readonly<Record<string, unknown>>;

/** What a consent platform reports, as far as it is read. */
interface GppPing {
  readonly signalStatus?: string;
  /** Numbers of the sections that apply to the shopper; -1: none does. */
  readonly applicableSections?: readonly number[];
  readonly parsedSections?: Readonly<Record<string, Section | readonly Section[] | undefined>>;
}

interface GppEvent {
  readonly listenerId?: number;
  readonly pingData?: GppPing;
}

/** The sections of the United States, by their numbers from 7 on. */
const SECTIONS = 'nat ca va co ut ct fl mt or tx de ia ne nh nj tn mn md in ky ri'.split(' ');

/**
 * Decides by the sections of the United States in IAB Tech Lab's Global Privacy Platform: yes if the shopper has not opted
 * out of the sale and of the sharing of data, or if no section applies. A section that is not of the United States is a no,
 * and so is a value that is not known.
 */
export function gpp(): ConsentSource {
  const find = (): Listen<GppEvent> | undefined => (globalThis as { __gpp?: Listen<GppEvent> }).__gpp;
  return listenerSource('gpp', find, ({ pingData }) => {
    const { signalStatus, applicableSections: sections = [], parsedSections = {} } = pingData ?? {};
    if (signalStatus !== 'ready') return undefined;
    const mayBeSold = (id: number): boolean => isOpen(parsedSections[`us${SECTIONS[id - 7]}`]);
    return sections.length > 0 && (sections.every((id) => id === -1) || sections.every(mayBeSold));
  });
}

/** Whether data may be sold and shared. 1: opted out; 2: did not; 0: the business does not do it. */
function isOpen(parsed: Section | readonly Section[] | undefined): boolean {
  const section = Object.assign({}, ...[parsed].flat()) as Section;
  const { SaleOptOut, SharingOptOut = 0, TargetedAdvertisingOptOut = 0, Gpc = false } = section;
  return SaleOptOut === 2 && isNotOptedOut(SharingOptOut) && isNotOptedOut(TargetedAdvertisingOptOut) && Gpc === false;
}

function isNotOptedOut(value: unknown): boolean {
  return value === 0 || value === 2;
}
