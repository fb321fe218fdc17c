import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pageAt } from './pages.ts';

test('every page, example and snippet reserves what docs/reference/page.md recommends', () => {
  const [, narrow, wide] = /^\| all \| `(\d+)px` \| `(\d+)px` \|$/m.exec(pageAt('docs/reference/page.md').text) ?? [];
  const files = execFileSync('git', ['ls-files', 'README.md', 'docs', 'examples', 'demo', 'src/react'], {
    encoding: 'utf8',
  });
  const reserved = files
    .split('\n')
    .filter((file) => /\.(md|css|php|phtml|html|twig|vue|svelte|js|ts)$/.test(file))
    .flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(
          /(?:min-block-size|min-height|minBlockSize): ?\D{0,5}(\d{3})px(?:, min\((\d+)px)?/g,
        ),
      ].flatMap(([, ...heights]) => heights.filter(Boolean).map((height) => ({ file, height }))),
    );
  expect(new Set(reserved.map(({ file }) => file)).size).toBeGreaterThan(12);
  expect(reserved.filter(({ height }) => height !== narrow && height !== wide)).toEqual([]);
});
