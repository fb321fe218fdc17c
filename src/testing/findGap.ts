/**
 * Says what takes space on the page where offers are missing, or nothing. Sent to the browser as text, so it uses nothing
 * from outside.
 */
export function findGap(): string | undefined {
  const place = document.querySelector('[data-offerlet]');
  if (!(place instanceof HTMLElement)) return undefined;

  // A box around the place and nothing else leaves its padding and border behind.
  let box = place;
  const isAlone = ({ children, textContent }: Element): boolean => children.length === 1 && !textContent.trim();
  while (box.parentElement && box.parentElement !== document.body && isAlone(box.parentElement))
    box = box.parentElement;

  // Margins, and the gap of a flex or grid container, show only in what the page would be without it.
  const heightOf = (): number => document.body.getBoundingClientRect().height;
  const [own, whole, style] = [box.getBoundingClientRect().height, heightOf(), box.getAttribute('style')];
  box.style.setProperty('display', 'none', 'important');
  const gap = Math.round(Math.max(own, whole - heightOf()));
  if (style === null) box.removeAttribute('style');
  else box.setAttribute('style', style);
  if (gap < 1) return undefined;

  const isHolding =
    /^(min-)?(height|block-size)$|^(padding|margin|border)(-block|-top|-bottom)?(-start|-end)?(-width)?$/;
  const held: string[] = [];
  const collect = (name: string, declared: CSSStyleDeclaration): void => {
    const text = declared.cssText.split(';').filter((line) => {
      const [property = '', value = ''] = line.split(':').map((part) => part.trim());
      return isHolding.test(property) && !/^(0(px)?|auto|none)$/.test(value);
    });
    if (text.length) held.push(`${name} { ${text.join(';').trim()} }`);
  };
  const read = (rules: Iterable<CSSRule>, at: Element): void => {
    for (const rule of rules) {
      if (rule instanceof CSSMediaRule && !matchMedia(rule.conditionText).matches) continue;
      if (rule instanceof CSSStyleRule && at.matches(rule.selectorText)) collect(rule.selectorText, rule.style);
      if ('cssRules' in rule) read(rule.cssRules as CSSRuleList, at);
    }
  };
  for (let at: Element | null = place; at; at = at === box ? null : at.parentElement) {
    for (const sheet of document.styleSheets) {
      try {
        read(sheet.cssRules, at);
      } catch {
        // A style sheet of another origin tells nobody its rules.
      }
    }
    if (at instanceof HTMLElement) collect(`style of <${at.localName}>`, at.style);
  }
  return [
    `The place of the offers holds none, and leaves a gap of ${gap} px.`,
    held.length
      ? `Held open by: ${held.join(', ')}`
      : 'Held open by what surrounds it, such as the gap of its parent, or by its own content.',
    'Only min-block-size and min-height collapse by themselves. Add: [data-offerlet="empty"], [data-offerlet="closed"] { display: none }',
  ].join('\n');
}
