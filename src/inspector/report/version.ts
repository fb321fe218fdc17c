/** The version of this package, for reports. A test compares it with package.json. */
export const VERSION = '0.1.0';
