import { defineEnvVars } from '@sveltejs/kit/env';

// Read when the server starts, so the build does without them. None is public: no module of the browser can import them.
export const variables = defineEnvVars({
  OFFERLET_API_KEY: { schema: (value) => value },
  OFFERLET_NETWORK: { schema: (value) => value },
  OFFERLET_SANDBOX: { schema: (value) => value },
});
