import { defineEnvVars } from '@sveltejs/kit/env';

// Not public: a module of the browser that imports one of them does not build.
export const variables = defineEnvVars({
  OFFERLET_API_KEY: {},
  OFFERLET_NETWORK: {},
  OFFERLET_SANDBOX: {},
});
