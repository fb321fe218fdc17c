import { defineEnvVars } from '@sveltejs/kit/env';

// Read when the server starts, so the build does without them. None is public: no module of the browser can import them.
const atStart = { schema: (value) => value };

export const variables = defineEnvVars({
  OFFERLET_API_KEY: atStart,
  OFFERLET_NETWORK: atStart,
  OFFERLET_SANDBOX: atStart,
});
