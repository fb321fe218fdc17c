import type { INestApplication } from '@nestjs/common';
import { createRelay, toNode, type RelayOptions } from 'offerlet/relay';

/**
 * Mounts the relay at /offers of a NestJS app on Express: `mountOnNest(await NestFactory.create(AppModule), {…})`, before
 * `app.listen()`. Guards and interceptors don't run for it.
 */
export function mountOnNest(app: INestApplication, options: RelayOptions): INestApplication {
  return app.use('/offers', toNode(createRelay(options)));
}
