// Takes the pictures of the documentation that no test compares: `node tools/pictures.mjs`, after a build. A shopper of the
// demo shop accepts an offer and copies its code (accept.png moves, accept-still.png does not); a card in three designs
// (looks.png) and in the four modes (modes.png); and what doctor prints for a page whose script does not match its integrity
// (doctor.png).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { deflateSync, inflateSync, crc32 } from 'node:zlib';
import { chromium } from '@playwright/test';
import { find } from '../test/browsers.mjs';

const HEADING = 'Three dinners for two, half price';
const SIZE = { width: 640, height: 700 };
const IMAGES = new URL('../docs/images/', import.meta.url);

const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const options = ['sandbox', '--port', '0', '--network-port', '0', '--memory', '--json'];
const sandbox = spawn(process.execPath, [cli, ...options], { stdio: ['ignore', 'pipe', 'ignore'] });
const browser = await chromium.launch({ executablePath: find('chromium')?.path, args: ['--no-sandbox'] });
try {
  const [line] = await once(sandbox.stdout, 'data');
  const { shop } = JSON.parse(String(line).split('\n')[0]);
  const frames = await takeFrames(await openOffer(shop, '?mode=OVERLAY&desk=none', SIZE));
  write('accept.png', animate(frames));
  write('accept-still.png', animate(frames.slice(-1)));
  write('looks.png', await takeLooks(shop));
  write('modes.png', await takeModes(shop));
  write('doctor.png', await takeDoctor(shop));
} finally {
  await browser.close();
  sandbox.kill();
}

function write(name, file) {
  writeFileSync(new URL(name, IMAGES), file);
}

/** Opens orders until the network picks the offer that the picture is about. */
async function openOffer(shop, query, viewport) {
  for (let order = 1001; order < 1101; order++) {
    const context = await browser.newContext({ viewport, deviceScaleFactor: 2, reducedMotion: 'reduce' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.goto(`${shop}/orders/${order}${query}`);
    const heading = page.locator('[part~=heading]').first();
    await heading.waitFor();
    if ((await heading.textContent()) === HEADING) return page;
    await context.close();
  }
  throw new Error(`The network picked "${HEADING}" for none of 100 orders.`);
}

/** Plays the scene. Returns PNG files, each with the milliseconds for which it is shown. */
async function takeFrames(page) {
  const frames = [];
  const take = async (ms) => frames.push({ ms, file: await page.screenshot() });
  const at = { x: SIZE.width - 90, y: SIZE.height - 40 };
  const move = async (button, steps = 7) => {
    const box = await button.boundingBox();
    const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const from = { ...at };
    for (let step = 1; step <= steps; step++) {
      const share = (1 - Math.cos((Math.PI * step) / steps)) / 2;
      at.x = from.x + (to.x - from.x) * share;
      at.y = from.y + (to.y - from.y) * share;
      await page.mouse.move(at.x, at.y);
      await page.evaluate(drawPointer, at);
      await take(60);
    }
  };
  const accept = page.locator('[part~=accept]').first();
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  await page.waitForTimeout(1500); // the card has opened, and accepts clicks
  await page.evaluate(drawPointer, at);
  await take(1400);
  await move(accept);
  await take(400);
  const [brand] = await Promise.all([page.context().waitForEvent('page'), accept.click()]);
  await brand.close();
  const copy = page.locator('.claim button').first();
  await copy.waitFor();
  await take(1400);
  await move(copy);
  await take(300);
  await copy.click();
  await page.waitForTimeout(500);
  await take(3000);
  return frames;
}

/** Takes the same card in a light, a dark and the shop's own theme, and sets the three side by side. */
async function takeLooks(shop) {
  const looks = { Light: '?look=unthemed', Dark: '?look=unthemed&theme=dark', 'Your theme': '?look=shop' };
  const figures = [];
  for (const [name, query] of Object.entries(looks)) {
    const page = await openOffer(shop, `${query}&desk=none`, { width: 390, height: 900 });
    await page.waitForTimeout(1500); // its picture has loaded
    const picture = await page.locator('[part~=card]').first().screenshot();
    figures.push(
      `<figure><img src="data:image/png;base64,${picture.toString('base64')}"><figcaption>${name}</figcaption></figure>`,
    );
    await page.context().close();
  }
  return screenshot(`<style>
    body { display: flex; gap: 18px; width: 900px; padding: 18px; background: #e9ebef; font: 600 14px system-ui; color: #374151 }
    figure { margin: 0; flex: 1; text-align: center }
    img { width: 100%; border-radius: 14px }
    figcaption { margin-top: 10px }
  </style>${figures.join('')}`);
}

/** Takes the same offer in the four modes, each on a phone that shows the shop. */
async function takeModes(shop) {
  const figures = [];
  for (const mode of ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE']) {
    const page = await openOffer(shop, `?mode=${mode}&desk=none`, { width: 390, height: 780 });
    await page.waitForTimeout(1500); // its picture has loaded
    await page
      .locator('[part~=card]')
      .first()
      .evaluate((card) => card.scrollIntoView({ block: 'nearest' }));
    const picture = await page.screenshot();
    figures.push(
      `<figure><img src="data:image/png;base64,${picture.toString('base64')}"><figcaption>${mode}</figcaption></figure>`,
    );
    await page.context().close();
  }
  return screenshot(`<style>
    body { display: flex; gap: 18px; width: 804px; padding: 18px; background: #f4f5f7; font: 600 12px/1 system-ui; color: #374151 }
    figure { margin: 0; flex: 1; text-align: center }
    img { width: 100%; border-radius: 15px; box-shadow: 0 0 0 1px #d5d9e0, 0 8px 24px rgb(15 23 42/.12) }
    figcaption { margin-top: 12px; letter-spacing: .04em }
  </style>${figures.join('')}`);
}

/** Lets doctor look at a page whose script is another version than its integrity says, and draws what it prints. */
async function takeDoctor(shop) {
  const script = readFileSync(new URL('../dist/offerlet.js', import.meta.url));
  const tag = `<script async src="/offerlet.js" integrity="sha384-${'A'.repeat(64)}" data-relay="/offers" data-view="THANK_YOU" data-display-mode="OVERLAY"></script>`;
  const page = `<!doctype html><title>Thank you</title><h1>Thank you</h1>${tag}`;
  const server = createServer((request, response) => {
    if (request.url === '/thank-you') response.setHeader('content-type', 'text/html; charset=utf-8').end(page);
    else if (request.url === '/offerlet.js') response.setHeader('content-type', 'text/javascript').end(script);
    else void pass(new URL(request.url, shop), response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${port}`;
  const doctor = spawn(process.execPath, [cli, 'doctor', `${origin}/thank-you`, '--no-sandbox']);
  let output = '';
  doctor.stdout.on('data', (part) => (output += part));
  await once(doctor, 'close');
  server.close();
  const lines = `$ npx offerlet doctor https://shop.example/thank-you\n\n${output.replaceAll(origin, 'https://shop.example')}`;
  const escaped = lines.trimEnd().replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const marked = escaped.replaceAll(/^[✓!✗]/gm, (mark) => `<b class="m${'✓!✗'.indexOf(mark)}">${mark}</b>`);
  return screenshot(`<style>
    body { width: max-content; padding: 18px 22px; background: #15171c; color: #e5e7eb }
    pre { margin: 0; font: 13px/1.6 ui-monospace, monospace }
    .m0 { color: #4ade80 } .m1 { color: #facc15 } .m2 { color: #f87171 }
  </style><pre>${marked}</pre>`);
}

/** Answers as another server does. */
async function pass(url, response) {
  const passed = await fetch(url);
  response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'text/plain' });
  response.end(await passed.text());
}

async function screenshot(html) {
  const page = await browser.newPage({ deviceScaleFactor: 2 });
  await page.setContent(`<!doctype html><style>html, body { margin: 0 }</style>${html}`);
  const file = await page.locator('body').screenshot();
  await page.close();
  return file;
}

/** Draws a pointer above everything, as screenshots have none. */
function drawPointer({ x, y }) {
  /** @type {HTMLElement} */
  const pointer = document.querySelector('#pointer') ?? document.body.appendChild(document.createElement('div'));
  pointer.id = 'pointer';
  pointer.popover = 'manual';
  pointer.style.cssText = `position:fixed;inset:auto;left:${x - 2}px;top:${y - 2}px;margin:0;padding:0;border:0;overflow:visible;width:20px;height:28px;pointer-events:none;background:#fff;clip-path:polygon(0 0,0 22px,6px 17px,10px 27px,14px 25px,10px 16px,18px 16px)`;
  pointer.innerHTML =
    '<div style="position:absolute;inset:0;background:#000;clip-path:polygon(1.5px 3.5px,1.5px 18.7px,6.6px 14.6px,10.8px 24.6px,12.1px 24px,7.8px 14.5px,14.4px 14.5px)"></div>';
  if (pointer.matches(':popover-open')) pointer.hidePopover();
  pointer.showPopover();
}

/** Returns an animated PNG. Each frame after the first has only the rectangle that changed. */
function animate(frames) {
  const { width, height } = decode(frames[0].file);
  let sequence = 0;
  let before;
  const chunks = frames.flatMap(({ ms, file }, index) => {
    const { pixels } = decode(file);
    const { x, y, w, h } = before ? changed(before, pixels, width, height) : { x: 0, y: 0, w: width, h: height };
    before = pixels;
    const rows = Buffer.alloc((1 + w * 3) * h); // the first byte of each row is its filter: 0, none
    for (let row = 0; row < h; row++) {
      const from = ((row + y) * width + x) * 3;
      pixels.copy(rows, row * (1 + w * 3) + 1, from, from + w * 3);
    }
    const data = deflateSync(rows, { level: 9, memLevel: 9 });
    const control = numbers(sequence++, w, h, x, y, (ms << 16) | 1000, 0).subarray(0, 26);
    if (index === 0) return [chunk('fcTL', control), chunk('IDAT', data)];
    return [chunk('fcTL', control), chunk('fdAT', Buffer.concat([numbers(sequence++), data]))];
  });
  const header = Buffer.concat([numbers(width, height), Buffer.from([8, 2, 0, 0, 0])]);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const moving = frames.length > 1 ? [chunk('acTL', numbers(frames.length, 0))] : [];
  const drawn = frames.length > 1 ? chunks : chunks.slice(1);
  return Buffer.concat([signature, chunk('IHDR', header), ...moving, ...drawn, chunk('IEND', Buffer.alloc(0))]);
}

/** Returns the RGB pixels of a PNG as Chromium writes it: 8 bits, no palette, not interlaced. */
function decode(file) {
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const size = file[25] === 6 ? 4 : 3;
  const parts = [];
  for (let at = 8; at < file.length; at += file.readUInt32BE(at) + 12)
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * size;
  const lines = Buffer.alloc(stride * height);
  const pixels = Buffer.alloc(width * height * 3);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)];
    for (let i = 0; i < stride; i++) {
      const to = row * stride + i;
      const left = i < size ? 0 : lines[to - size];
      const above = row === 0 ? 0 : lines[to - stride];
      const corner = i < size || row === 0 ? 0 : lines[to - stride - size];
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter];
      lines[to] = raw[row * (stride + 1) + 1 + i] + predicted;
      if (i % size < 3) pixels[(row * width + Math.floor(i / size)) * 3 + (i % size)] = lines[to];
    }
  }
  return { width, height, pixels };
}

function paeth(left, above, corner) {
  const [a, b, c] = [above - corner, left - corner, left + above - 2 * corner].map(Math.abs);
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** Returns the smallest rectangle outside which both pictures are the same. */
function changed(before, pixels, width, height) {
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let i = 0; i < pixels.length; i++) {
    if (pixels[i] === before[i]) continue;
    const pixel = Math.floor(i / 3);
    const [x, y] = [pixel % width, Math.floor(pixel / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return right < left ? { x: 0, y: 0, w: 1, h: 1 } : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

function numbers(...values) {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), body, numbers(crc32(body))]);
}
