import { Script } from 'node:vm';
import { Window } from 'happy-dom';
import { expect, test } from 'vitest';
import { readAttributes } from '../../src/page/showOptions.ts';
import { blocksIn, codeBlocks, PAGES, type CodeBlock } from './pages.ts';

test('every attribute of a script tag or element in an HTML block is one that is read', () => {
  const known = attributesRead();
  const problems = blocksIn('html').flatMap((block) => {
    const { document } = new Window({ settings: { disableJavaScriptEvaluation: true } });
    document.body.innerHTML = block.code;
    const tags = [...document.querySelectorAll('script[src*="offerlet.js"], offer-let')];
    return tags.flatMap((tag) => {
      const isScript = tag.localName === 'script';
      return [...tag.attributes]
        .filter(({ name }) => !isScript || name.startsWith('data-'))
        .map(({ name }) => name.replace(/^data-/, ''))
        .filter((name) => !known.has(name))
        .map((name) => `${at(block)}: ${name} is not an attribute that is read`);
    });
  });
  expect(problems).toEqual([]);
});

test('every script in an HTML block is JavaScript', () => {
  const scripts = blocksIn('html').flatMap((block) =>
    [...block.code.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, code = '']) => ({ block, code })),
  );
  expect(scripts.length).toBeGreaterThan(0);
  // Compiles it without running it.
  for (const { block, code } of scripts) expect(() => new Script(code), at(block)).not.toThrow();
});

test('every JSON block is JSON, and so is every body in an HTTP block', () => {
  const bodies = blocksIn('http').map((block) => ({ ...block, code: block.code.split('\n\n')[1] ?? 'null' }));
  for (const block of [...blocksIn('json'), ...bodies])
    expect(() => JSON.parse(block.code) as unknown, at(block)).not.toThrow();
});

test('every CSS block is balanced and names only custom properties and parts that exist', () => {
  const known = new Set(
    PAGES.flatMap((page) => (page.path === 'docs/reference/page.md' ? page.text.match(/--offerlet-[a-z-]+/g) : [])),
  );
  for (const block of blocksIn('css')) {
    expect(block.code.split('{').length, at(block)).toBe(block.code.split('}').length);
    for (const name of block.code.match(/--offerlet-[a-z-]+/g) ?? []) expect(known, at(block)).toContain(name);
  }
});

test('every code block names its language', () => {
  // `typescript`: generated from what the compiler has checked.
  const languages = 'ts tsx js html json css http sh php python ruby erb jinja blade xml yaml sql text typescript';
  const odd = PAGES.flatMap(codeBlocks).filter(({ language }) => !languages.split(' ').includes(language));
  expect(odd.map(at)).toEqual([]);
});

function at({ page, line }: CodeBlock): string {
  return `${page}:${line}`;
}

/** The attributes that the script tag and the element look at. */
function attributesRead(): Set<string> {
  const asked = new Set<string>();
  const note = (name: string): string => {
    asked.add(name);
    return 'given';
  };
  const element = { getAttribute: note, attributes: [] as unknown as NamedNodeMap } as unknown as Element;
  readAttributes(element, '', () => Promise.reject(new Error('not named')));
  return asked;
}
