'use client';

export { Offers, type OffersProps } from './react/Offers.ts';
