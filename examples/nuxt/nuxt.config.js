export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  telemetry: false,
  app: { head: { htmlAttrs: { lang: 'en' }, title: 'Shop', link: [{ rel: 'icon', href: 'data:,' }] } },
  vue: { compilerOptions: { isCustomElement: (tag) => tag === 'offer-let' } },
});
