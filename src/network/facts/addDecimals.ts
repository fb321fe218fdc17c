/** The exact sum of decimal texts, such as `42.50` or `-0.1`. */
export function addDecimals(...texts: readonly string[]): string {
  const [first = '0'] = texts;
  if (texts.length < 2) return first;
  const digits = Math.max(...texts.map((text) => (text.split('.')[1] ?? '').length));
  const sum = texts.reduce((total, text) => {
    const [whole = '', fraction = ''] = text.split('.');
    return total + BigInt(whole + fraction.padEnd(digits, '0'));
  }, 0n);
  const [sign, size] = sum < 0n ? ['-', -sum] : ['', sum];
  const padded = String(size).padStart(digits + 1, '0');
  return digits === 0 ? sign + padded : `${sign}${padded.slice(0, -digits)}.${padded.slice(-digits)}`;
}
