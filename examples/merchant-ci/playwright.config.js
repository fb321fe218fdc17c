import { defineConfig } from '@playwright/test';

const port = process.env.PORT ?? '8080';

export default defineConfig({
  testDir: 'tests',
  fullyParallel: true,
  use: {
    baseURL: `http://127.0.0.1:${port}`,
    // The system's Chromium, where Playwright has not installed its own.
    launchOptions: { executablePath: process.env.CHROMIUM_BIN || undefined },
  },
  webServer: { command: 'node shop.js', port: Number(port), env: { PORT: port } },
});
