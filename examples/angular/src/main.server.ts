import { bootstrapApplication, type BootstrapContext } from '@angular/platform-browser';
import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr';
import { App, providers } from './app';

const rendering = provideServerRendering(withRoutes([{ path: '**', renderMode: RenderMode.Server }]));

export default (context: BootstrapContext) =>
  bootstrapApplication(App, { providers: [...providers, rendering] }, context);
