/** The response header in which an offerlet relay says its time, in milliseconds since 1970. */
export const TIME_HEADER = 'offerlet-time';
