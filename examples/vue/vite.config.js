import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

// `npm run relay` runs the relay, which holds the key. In production, your web server forwards /offers to it.
const proxy = { '/offers': process.env.OFFERLET_RELAY ?? 'http://127.0.0.1:4601' };
const isCustomElement = (tag) => tag === 'offer-let';

export default defineConfig({
  plugins: [vue({ template: { compilerOptions: { isCustomElement } } })],
  server: { proxy },
  preview: { proxy, port: Number(process.env.PORT ?? 4173) },
});
